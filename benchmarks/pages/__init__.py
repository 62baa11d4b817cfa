"""How quickly pages answer when there is much in the database."""
