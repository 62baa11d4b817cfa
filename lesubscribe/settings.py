"""Settings. Every variable is read here, once, through the typed readers of `env.py`; see `.env.example`.

Nothing set means development on embedded parts: SQLite and a private Redis under VAR, bound to loopback.
`DJANGO_ENV=production` refuses to start without what production needs.
"""

import gc
import logging
import secrets
from pathlib import Path
from typing import Any

import environ
from csp.constants import NONE, SELF

from lesubscribe import embedded_redis, env, mail_services, periodic
from lesubscribe.log import configure_logs
from lesubscribe.private_files import first_written
from matching import registry, shards

gc.disable()  # until all is imported: see `lesubscribe.started`

BASE_DIR = Path(__file__).resolve().parent.parent
environ.Env.read_env(BASE_DIR / ".env")

# --- Where we run -----------------------------------------------------------------------------------------

DJANGO_ENV = env.choice("DJANGO_ENV", ["development", "production"], default="development")
PRODUCTION = DJANGO_ENV == "production"
DEBUG = False
FAILPOINTS = env.text("FAILPOINTS")
if PRODUCTION and FAILPOINTS:
    raise env.BadSetting("FAILPOINTS", "empty in production")

VAR = env.directory("VAR", default="var", relative_to=BASE_DIR)
PORT = env.integer("PORT", default=8000, minimum=1, maximum=65535)
BASE_URL = env.web_address("BASE_URL", default=f"http://localhost:{PORT}")
DEMO_DATA = env.choice("DEMO_DATA", ["yes", "no"], default="no" if PRODUCTION else "yes") == "yes"

SECRET_KEY = env.text("SECRET_KEY")
ALLOWED_HOSTS = env.words("ALLOWED_HOSTS")
if PRODUCTION:
    if len(SECRET_KEY) < 50:
        raise env.BadSetting("SECRET_KEY", "set to 50 or more random characters in production")
    if not ALLOWED_HOSTS:
        raise env.BadSetting("ALLOWED_HOSTS", "set to the host names we serve in production")
    if not BASE_URL.startswith("https://"):
        raise env.BadSetting("BASE_URL", "an https:// address in production", BASE_URL)
SECRET_KEY = SECRET_KEY or first_written(VAR / "secret_key", secrets.token_urlsafe(50))
ALLOWED_HOSTS = ALLOWED_HOSTS or ["localhost", "127.0.0.1", "[::1]"]

# --- HTTPS ------------------------------------------------------------------------------------------------

SECURE_SSL_REDIRECT = PRODUCTION
# Probes come from inside, over plain HTTP; the API refuses it in words: see `PlainHttpMiddleware`.
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$", r"^metrics$", r"^api/v1/"]
SECURE_HSTS_SECONDS = (
    env.integer("HSTS_SECONDS", default=31_536_000, minimum=0, maximum=10**9) if PRODUCTION else 0
)
SECURE_HSTS_INCLUDE_SUBDOMAINS = PRODUCTION
SECURE_HSTS_PRELOAD = PRODUCTION
SESSION_COOKIE_SECURE = PRODUCTION
CSRF_COOKIE_SECURE = PRODUCTION
CSRF_COOKIE_HTTPONLY = True  # our scripts take the token from the page
_COOKIE = "__Host-" if PRODUCTION else ""  # no other host, not even a subdomain, can set one of that name
SESSION_COOKIE_NAME = f"{_COOKIE}sessionid"
CSRF_COOKIE_NAME = f"{_COOKIE}csrftoken"
LANGUAGE_COOKIE_NAME = f"{_COOKIE}django_language"
KNOWN_BROWSER_COOKIE_NAME = f"{_COOKIE}known_browser"
MESSAGES_COOKIE_NAME = f"{_COOKIE}messages"
MESSAGE_STORAGE = "lesubscribe.security.messages.Messages"
CSRF_TRUSTED_ORIGINS = [BASE_URL]
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "img-src": [SELF, "data:"],  # Pico draws its icons with data: URLs
        "object-src": [NONE],
        "base-uri": [NONE],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
    }
}

# --- Applications -----------------------------------------------------------------------------------------

INSTALLED_APPS = [
    "lesubscribe",
    "lesubscribe.operations",
    "schema_registry.accounts",
    "schema_registry",
    "matching",
    "notifications",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.usersessions",
    "django_celery_beat",
    "django_htmx",
    "django_prometheus",
    "django_structlog",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "drf_standardized_errors",
    "rest_framework",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.humanize",
    "django.contrib.messages",
    "django.contrib.sessions",
    "django.contrib.staticfiles",
    "lesubscribe.started",
]
MIDDLEWARE = [
    "django_prometheus.middleware.PrometheusBeforeMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "lesubscribe.security.headers.HeadersMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "lesubscribe.security.headers.PlainHttpMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "lesubscribe.middleware.TimeZoneMiddleware",
    "lesubscribe.languages.OwnLanguageMiddleware",
    "lesubscribe.security.middleware.LastSeenMiddleware",
    "lesubscribe.security.middleware.StaffNeedMfaMiddleware",
    "lesubscribe.security.middleware.StaffConfirmMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "django_structlog.middlewares.RequestMiddleware",
    "lesubscribe.middleware.RateLimitMiddleware",
    "lesubscribe.middleware.NotAllowedMiddleware",
    "lesubscribe.middleware.BusyDatabaseMiddleware",
    "django_prometheus.middleware.PrometheusAfterMiddleware",
]
ROOT_URLCONF = "lesubscribe.urls"
ASGI_APPLICATION = "lesubscribe.asgi.application"
APPEND_SLASH = False  # our addresses have no trailing slash, and a typo should not be half right
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "lesubscribe.context.unseen",
                "lesubscribe.context.publishes",
            ]
        },
    }
]

# --- API --------------------------------------------------------------------------------------------------

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "schema_registry.accounts.authentication.ApiKeyAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_THROTTLE_CLASSES": ["schema_registry.accounts.limits.RequestLimit"],
    "DEFAULT_PARSER_CLASSES": ["schema_registry.parsers.StrictJsonParser"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "drf_standardized_errors.handler.exception_handler",
}
RATE_LIMIT = env.integer("RATE_LIMIT", default=4_000, minimum=1, maximum=10**9)  # requests of a key in 10 s
# Two cores match so many in less than a minute: who was accepted hears of it soon, or is told to come again.
BACKLOG_LIMIT = env.integer("BACKLOG_LIMIT", default=30_000, minimum=1, maximum=10**9)
REQUESTS_AT_ONCE = env.integer("REQUESTS_AT_ONCE", default=400, minimum=4, maximum=10_000)
DRF_STANDARDIZED_ERRORS = {
    "EXCEPTION_HANDLER_CLASS": "schema_registry.problems.ProblemHandler",
    "EXCEPTION_FORMATTER_CLASS": "schema_registry.problems.ProblemFormatter",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Le Subscribe",
    "VERSION": "1",
    "DESCRIPTION": (
        "Publish auction items, extend the event schema, subscribe to what you look for.\n\n"
        "A program sends its key with every request: `Authorization: Bearer ls_…`. Publishers make keys"
        " under [Publish](/publish). Where you are signed in, *Try it out* works as you, without a key."
    ),
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "SERVE_INCLUDE_SCHEMA": False,
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "POSTPROCESSING_HOOKS": ["schema_registry.openapi.add_problems"],
}

# --- Database ---------------------------------------------------------------------------------------------

DATABASES = {"default": env.database("DATABASE_URL", default=f"sqlite:///{VAR / 'lesubscribe.sqlite3'}")}
_options: dict[str, Any] = DATABASES["default"].setdefault("OPTIONS", {})
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    # Whenever the last connection closes, SQLite writes its whole log back; see also `kept_threads`.
    DATABASES["default"]["CONN_MAX_AGE"] = 60
    _options |= {
        "timeout": 20,
        # A transaction that reads and then writes must not find the write lock taken: take it at once.
        "transaction_mode": "IMMEDIATE",
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL",
    }
else:
    # Under ASGI a request may run on any thread, so connections are pooled rather than kept per thread.
    _options |= {"pool": {"min_size": 1, "max_size": 8, "timeout": 10}, "connect_timeout": 5}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# --- Redis, Celery ----------------------------------------------------------------------------------------

REDIS_IS_EMBEDDED = not env.text("REDIS_URL")
REDIS_URL = env.redis_url(
    "REDIS_URL", default=f"unix://{embedded_redis.socket_path(VAR)}" if REDIS_IS_EMBEDDED else ""
)
_REDIS_CACHE: dict[str, Any] = {
    "LOCATION": REDIS_URL,
    "KEY_PREFIX": "lesubscribe",
    "OPTIONS": {
        "socket_connect_timeout": 2,
        "socket_timeout": 2,
        "pool_class": "lesubscribe.shared_pool.SharedPool",
    },
}
CACHES = {
    "default": {"BACKEND": "lesubscribe.fallback_cache.FallbackCache", **_REDIS_CACHE},
    # What one process lays down for another is of no use in memory.
    "between_processes": {"BACKEND": "django.core.cache.backends.redis.RedisCache", **_REDIS_CACHE},
}

CELERY_BROKER_URL = REDIS_URL.replace("unix://", "redis+socket://", 1)
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "visibility_timeout": 600,
    "global_keyprefix": "lesubscribe:",
    # Whoever sends a message has something better to do than to wait for a Redis that hangs.
    "socket_timeout": 5,
    "socket_connect_timeout": 2,
}
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_SERIALIZER = "json"
CELERY_RESULT_SERIALIZER = "json"
CELERY_TASK_IGNORE_RESULT = True  # what a task did is in the database
MATCHING_SHARDS = env.integer("MATCHING_SHARDS", default=1, minimum=1, maximum=shards.MOST)
_MATCH_QUEUES = [shard.queue for shard in shards.split(MATCHING_SHARDS)]
QUEUES = (*_MATCH_QUEUES, "plan", "deliver", "maintenance")
CELERY_TASK_QUEUES = {queue: {"routing_key": queue} for queue in QUEUES}
CELERY_TASK_DEFAULT_QUEUE = "maintenance"
CELERY_TASK_CREATE_MISSING_QUEUES = False  # a misspelt queue is an error, not a queue nobody reads
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_TASK_SOFT_TIME_LIMIT = 270
CELERY_TASK_TIME_LIMIT = 300
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_WORKER_SOFT_SHUTDOWN_TIMEOUT = 4
CELERY_WORKER_ENABLE_SOFT_SHUTDOWN_ON_IDLE = False
CELERY_WORKER_CANCEL_LONG_RUNNING_TASKS_ON_CONNECTION_LOSS = True
CELERY_BEAT_SCHEDULER = "lesubscribe.scheduler:Scheduler"
CELERY_BEAT_MAX_LOOP_INTERVAL = 5
# A worker loads all subscriptions before it takes its first task.
CELERY_WORKER_PROC_ALIVE_TIMEOUT = 600
CELERY_TASK_ROUTES = {
    # That of the first shard, unless whoever sends them says which.
    "matching.tasks.drain": {"queue": _MATCH_QUEUES[0]},
    "matching.tasks.count_matches": {"queue": _MATCH_QUEUES[0]},
    "matching.tasks.keep_matcher": {"queue": _MATCH_QUEUES[0]},
    "notifications.tasks.plan": {"queue": "plan"},
    "notifications.tasks.deliver": {"queue": "deliver"},
}
DELIVERY_THREADS = env.integer("DELIVERY_THREADS", default=64, minimum=1, maximum=1_000)
RETENTION_DAYS = env.integer("RETENTION_DAYS", default=90, minimum=1, maximum=36_500)
MOST_SUBSCRIPTIONS_PER_OWNER = 10_000
MATCHER = env.choice("MATCHER", registry.names(), default="engine")
SNAPSHOTS = VAR / "engine"
FEEDS = env.place("FEEDS", default=str(VAR / "feeds"), relative_to=BASE_DIR)
# A URL where the executors of a cluster fetch the searches.
NIGHTLY_SNAPSHOTS = env.text("NIGHTLY_SNAPSHOTS")
NIGHTLY_DAYS = env.integer("NIGHTLY_DAYS", default=14, minimum=1, maximum=36_500)  # that its files are kept
NIGHTLY = env.directory("NIGHTLY", default=str(VAR / "nightly"), relative_to=BASE_DIR)
SPARK_MASTER = env.text("SPARK_MASTER", default="local[*]")
SPARK_MEMORY = env.text("SPARK_MEMORY", default="2g")  # of the driver's Java
CELERY_BEAT_SCHEDULE = periodic.schedule(QUEUES, shards.split(MATCHING_SHARDS))

# --- People -----------------------------------------------------------------------------------------------

AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("UserAttributeSimilarityValidator", "MinimumLengthValidator", "CommonPasswordValidator")
] + [{"NAME": "lesubscribe.security.passwords.WordsOfOursValidator"}]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "feed"
LOGOUT_REDIRECT_URL = "home"
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*"]
ACCOUNT_EMAIL_VERIFICATION = "mandatory"
ACCOUNT_EMAIL_SUBJECT_PREFIX = ""
ACCOUNT_LOGIN_ON_EMAIL_CONFIRMATION = True
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_DEFAULT_HTTP_PROTOCOL = BASE_URL.split(":", 1)[0]
ACCOUNT_ADAPTER = "lesubscribe.security.adapters.AccountAdapter"
ACCOUNT_EMAIL_NOTIFICATIONS = True
# Whoever knows a password may sign in again and again, but not fill a letterbox with it.
ACCOUNT_RATE_LIMITS = {"sign_in_notice": "10/h/key"}
MFA_ADAPTER = "lesubscribe.security.adapters.MfaAdapter"
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_TOTP_ISSUER = "Le Subscribe"
MFA_FORMS = {
    "authenticate": "lesubscribe.security.forms.SecondStepForm",
    "reauthenticate": "lesubscribe.security.forms.ConfirmByCodeForm",
    "activate_totp": "lesubscribe.security.forms.SetUpAppForm",
    "add_webauthn": "lesubscribe.security.forms.AddPasskeyForm",
    "edit_webauthn": "lesubscribe.security.forms.RenamePasskeyForm",
}
STAFF_NEEDS_MFA = env.choice("STAFF_NEEDS_MFA", ["yes", "no"], default="yes" if PRODUCTION else "no") == "yes"
STAFF_CONFIRM_AFTER = 12 * 3_600 if PRODUCTION else 0  # seconds; 0 is never

# --- Mail -------------------------------------------------------------------------------------------------

DEFAULT_FROM_EMAIL = env.text("DEFAULT_FROM_EMAIL", default="Le Subscribe <no-reply@localhost>")
SERVER_EMAIL = DEFAULT_FROM_EMAIL
OUTBOX = VAR / "outbox"
EMAIL_BACKEND = "lesubscribe.outbox.EmailBackend"  # mails stay here, where staff can read them, ...
globals().update(env.email("EMAIL_URL"))  # ... unless a server is named
SENDS_MAIL = not EMAIL_BACKEND.startswith("lesubscribe.")
EMAIL_TIMEOUT = 15
# The service that tells us of mails which came back or were called spam; see `mail_services`.
MAIL_SERVICE = env.choice("MAIL_SERVICE", ["", *mail_services.SERVICES], default="")
_MAIL_EVENTS_SECRET, _MAIL_EVENTS_KEY = env.text("MAIL_EVENTS_SECRET"), env.text("MAIL_EVENTS_KEY")
if MAIL_SERVICE and (":" not in _MAIL_EVENTS_SECRET or len(_MAIL_EVENTS_SECRET) < 20):
    raise env.BadSetting("MAIL_EVENTS_SECRET", "set to user:password, of 20 or more characters")
if MAIL_SERVICE and mail_services.SERVICES[MAIL_SERVICE].key and not _MAIL_EVENTS_KEY:
    raise env.BadSetting("MAIL_EVENTS_KEY", f"set to the key with which {MAIL_SERVICE} signs")
ANYMAIL = mail_services.anymail_settings(MAIL_SERVICE, secret=_MAIL_EVENTS_SECRET, key=_MAIL_EVENTS_KEY)

# --- Notifications ----------------------------------------------------------------------------------------

# A cap per address, whoever's channels it belongs to; what comes after it waits for a digest.
MOST_MAILS_PER_DAY = env.integer("MOST_MAILS_PER_DAY", default=200, minimum=1, maximum=10**6)
MOST_CHANNELS_PER_OWNER = 20
WEBHOOK_ALLOWED_HOSTS = env.words("LESUBSCRIBE_WEBHOOK_ALLOWED_HOSTS")
# Tests let the days between two attempts go by faster: 0.001 makes a day of 86 seconds.
RETRY_PACE = env.number("RETRY_PACE", default=1.0, minimum=1e-6, maximum=1.0)
if PRODUCTION and RETRY_PACE != 1.0:
    raise env.BadSetting("RETRY_PACE", "unset in production")

# --- Texts, static files ----------------------------------------------------------------------------------

LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("fr", "Français")]
LOCALE_PATHS = [BASE_DIR / "lesubscribe" / "locale"]
FORMAT_MODULE_PATH = "lesubscribe.formats"
LANGUAGE_COOKIE_AGE = 365 * 86_400
LANGUAGE_COOKIE_SAMESITE = "Lax"
LANGUAGE_COOKIE_SECURE = PRODUCTION
LANGUAGE_COOKIE_HTTPONLY = True
TIME_ZONE = "UTC"
USE_TZ = True
STATIC_URL = "/static/"
STATICFILES_DIRS: list[Path] = []
WHITENOISE_ALLOW_ALL_ORIGINS = False
WHITENOISE_USE_FINDERS = True  # files are served as they lie in the packages; there is no collecting step

# --- Logs, metrics ----------------------------------------------------------------------------------------

LOG_LEVEL = env.choice("LOG_LEVEL", ["DEBUG", "INFO", "WARNING"], default="INFO")
LOGGING = configure_logs(as_json=PRODUCTION, level=LOG_LEVEL)
DJANGO_STRUCTLOG_CELERY_ENABLED = True
DJANGO_STRUCTLOG_IP_LOGGING_ENABLED = False  # it believes the sender's own headers; see `security.noting`
DJANGO_STRUCTLOG_STATUS_START_LOG_LEVEL = logging.DEBUG  # one line a request, when it ends
DJANGO_STRUCTLOG_REQUEST_CANCELLED_LOG_LEVEL = logging.DEBUG  # people close pages with a live feed
DJANGO_STRUCTLOG_CELERY_DEFAULT_LOG_LEVEL = logging.DEBUG  # tasks that matter say themselves what they did
METRICS_DIRECTORY = VAR / "metrics"  # where the processes of `make up` count; a command leaves nothing there
