"""Sends every call type and a bulk of track calls with the unmodified segment-analytics-python, as a customer's program would.

python3 test/sdk/python/send.py <ingest URL> <write key> <bulk> <calls of a batch>
"""

import sys
from datetime import datetime, timezone

from segment.analytics.client import Client

host, write_key, bulk, upload_size = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
failures = []
client = Client(
    write_key,
    host=host,
    gzip=True,
    upload_size=upload_size,
    upload_interval=0.5 if upload_size < bulk else 10,
    on_error=lambda error, _batch: failures.append(error),
)

client.identify("python-user", {"name": "Ada", "plan": "pro"})
client.track(
    "python-user",
    "Order Completed",
    {"total": 12.5, "tiny": 1e-7, "note": "<a & b> ✓"},
    integrations={"All": False, "Webhooks": True},
)
client.track("python-user", "Elsewhere only", integrations={"All": False})
client.page("python-user", None, "Home", {"url": "https://example.com/"})
client.screen("python-user", None, "Main")
client.group("python-user", "python-group", {"name": "Initech"})
client.alias("python-anonymous", "python-user")
client.track(
    anonymous_id="python-anonymous",
    event="Anonymous",
    timestamp=datetime(2012, 12, 2, 0, 30, 8, 276000, tzinfo=timezone.utc),
)
for i in range(bulk):
    client.track(f"python-bulk-{i % 50}", "Bulk", {"i": i})
client.flush()
client.join()
for failure in failures:
    print(failure, file=sys.stderr)
sys.exit(1 if failures else 0)
