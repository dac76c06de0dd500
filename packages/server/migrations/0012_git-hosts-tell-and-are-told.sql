CREATE TABLE "git_deliveries" (
	"id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"sender" text NOT NULL,
	"delivery_id" text NOT NULL,
	"events" jsonb NOT NULL,
	"completed_at" timestamp (3) with time zone,
	"wake_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "git_feedback" (
	"id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"organization_id" text NOT NULL,
	"code_source_id" text NOT NULL,
	"pipeline_id" text NOT NULL,
	"pipeline_run_id" text NOT NULL,
	"branch" text NOT NULL,
	"commit" text NOT NULL,
	"told_status" text,
	"failures" integer DEFAULT 0 NOT NULL,
	"failure" text,
	"wake_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "git_feedback" ADD CONSTRAINT "git_feedback_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "git_feedback" ADD CONSTRAINT "git_feedback_code_source_id_code_sources_id_fk" FOREIGN KEY ("code_source_id") REFERENCES "public"."code_sources"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "git_feedback" ADD CONSTRAINT "git_feedback_pipeline_id_pipelines_id_fk" FOREIGN KEY ("pipeline_id") REFERENCES "public"."pipelines"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "git_feedback" ADD CONSTRAINT "git_feedback_pipeline_run_id_pipeline_runs_id_fk" FOREIGN KEY ("pipeline_run_id") REFERENCES "public"."pipeline_runs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "git_deliveries_once" ON "git_deliveries" USING btree ("sender","delivery_id");--> statement-breakpoint
CREATE INDEX "git_deliveries_wake" ON "git_deliveries" USING btree ("wake_at") WHERE wake_at is not null;--> statement-breakpoint
CREATE INDEX "git_deliveries_created" ON "git_deliveries" USING btree ("created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "git_feedback_run" ON "git_feedback" USING btree ("pipeline_run_id");--> statement-breakpoint
CREATE INDEX "git_feedback_commit" ON "git_feedback" USING btree ("code_source_id","commit");--> statement-breakpoint
CREATE INDEX "git_feedback_wake" ON "git_feedback" USING btree ("wake_at") WHERE wake_at is not null;--> statement-breakpoint
SELECT wall_off('git_feedback');
--> statement-breakpoint
-- A delivery concerns repositories, of several organizations perhaps: no tenant sees any.
ALTER TABLE git_deliveries ENABLE ROW LEVEL SECURITY;
