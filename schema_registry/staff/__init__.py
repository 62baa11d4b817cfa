"""What the admin pages of all apps share. It knows no models, so that any app may use it."""
