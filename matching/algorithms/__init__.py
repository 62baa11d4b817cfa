"""One module per matching algorithm, all under one contract. Pure: no Django, Celery or Redis."""
