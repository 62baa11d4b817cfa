"""`DataFrame.mapInArrow` without pandas, which pyspark asks for first and then has no use for.

pyspark makes the function by `pandas_udf`, and that refuses to begin where pandas is missing, although no
batch of Arrow ever meets it. These are the three steps of `mapInArrow` without the question.
"""

from collections.abc import Callable, Iterator

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql.types import StructType
from pyspark.sql.udf import UserDefinedFunction
from pyspark.util import PythonEvalType

Batches = Iterator[pa.RecordBatch]


def map_in_arrow(frame: DataFrame, function: Callable[[Batches], Batches], columns: StructType) -> DataFrame:
    """The frame of what the function makes of each partition's batches. Lazy; rows keep their order."""
    udf = UserDefinedFunction(function, columns, evalType=PythonEvalType.SQL_MAP_ARROW_ITER_UDF)
    column = udf(*(frame[f"`{name}`"] for name in frame.columns))
    mapped = frame._jdf.mapInArrow(column._jc, False, None)
    return DataFrame(mapped, frame.sparkSession)
