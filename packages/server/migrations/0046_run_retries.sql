ALTER TABLE "pipeline_runs" ADD COLUMN "retry_of" text;--> statement-breakpoint
-- One retry of a run, whoever asks for another at the same moment.
CREATE UNIQUE INDEX "pipeline_runs_retried_once" ON "pipeline_runs" USING btree ("retry_of") WHERE retry_of is not null;
