"""Decompresses the plans of Spark Connect requests, so that all other code sees plain messages."""

import pyarrow as pa
from google.protobuf.message import DecodeError
from pyspark.sql.connect.proto import base_pb2

from twinspark.errors import SparkError

ZSTD = base_pb2.CompressionCodec.COMPRESSION_CODEC_ZSTD
COMMAND = base_pb2.Plan.CompressedOperation.OP_TYPE_COMMAND


def decompress_plan(plan: base_pb2.Plan) -> base_pb2.Plan:
    if plan.WhichOneof("op_type") != "compressed_operation":
        return plan
    packed = plan.compressed_operation
    if packed.compression_codec != ZSTD:
        raise SparkError("CONNECT_INVALID_PLAN.CANNOT_PARSE", errorMsg="unsupported compression codec")
    opened = base_pb2.Plan()
    try:
        data = pa.CompressedInputStream(pa.BufferReader(packed.data), "zstd").read()
        (opened.command if packed.op_type == COMMAND else opened.root).ParseFromString(data)
    except (OSError, DecodeError) as error:
        raise SparkError("CONNECT_INVALID_PLAN.CANNOT_PARSE", errorMsg=str(error)) from error
    return opened
