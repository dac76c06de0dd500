ALTER TABLE "pipeline_runs" ADD COLUMN "traceparent" text;
