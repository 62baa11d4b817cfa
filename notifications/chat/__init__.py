"""Chat and push services, by the plug-ins of apprise. `services` says which; `guard` keeps them within
bounds.
"""
