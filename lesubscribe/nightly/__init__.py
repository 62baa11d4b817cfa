"""A night: feed files of a site become events and matches. Spark computes, the database takes it up."""
