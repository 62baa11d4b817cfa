"""What somebody who just typed `make up` finds: an account, and a month of three auction houses.

`load` writes the rest into the database; `account` makes the login alone.
"""

from lesubscribe.demo.account import DEMO_EMAIL, DemoLogin, demo_login

__all__ = ["DEMO_EMAIL", "DemoLogin", "demo_login"]
