CREATE TABLE "stack_drifts" (
	"stack_id" text PRIMARY KEY NOT NULL,
	"organization_id" text NOT NULL,
	"cron" text,
	"time_zone" text,
	"next_at" timestamp (3) with time zone,
	"reconciles" boolean DEFAULT false NOT NULL,
	"pipeline_id" text,
	"status" text,
	"run_id" text,
	"looked_at" timestamp (3) with time zone,
	"error" jsonb,
	"drifted_since" timestamp (3) with time zone,
	"reconciling_run_id" text
);
--> statement-breakpoint
ALTER TABLE "stack_drifts" ADD CONSTRAINT "stack_drifts_stack_id_stacks_id_fk" FOREIGN KEY ("stack_id") REFERENCES "public"."stacks"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "stack_drifts" ADD CONSTRAINT "stack_drifts_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "stack_drifts" ADD CONSTRAINT "stack_drifts_pipeline_id_pipelines_id_fk" FOREIGN KEY ("pipeline_id") REFERENCES "public"."pipelines"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "stack_drifts_next" ON "stack_drifts" USING btree ("next_at");--> statement-breakpoint
CREATE INDEX "stack_drifts_organization" ON "stack_drifts" USING btree ("organization_id","status");--> statement-breakpoint
CREATE INDEX "stack_drifts_pipeline" ON "stack_drifts" USING btree ("pipeline_id");--> statement-breakpoint
SELECT wall_off('stack_drifts');
--> statement-breakpoint
SELECT show_if('stack_drifts', 'stack_id NOT IN (SELECT hidden_stacks())');
