CREATE TABLE "runner_tasks" (
	"id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"organization_id" text NOT NULL,
	"execution_environment_id" text NOT NULL,
	"step_execution_id" text NOT NULL,
	"attempt_epoch" integer NOT NULL,
	"status" text NOT NULL,
	"token_hash" text NOT NULL,
	"redeemed_by_hash" text,
	"claimed_at" timestamp (3) with time zone,
	"place" jsonb,
	"task_arn" text,
	"over_at" timestamp (3) with time zone,
	"stop_requested_at" timestamp (3) with time zone,
	"trouble" text,
	"idle_looks" integer DEFAULT 0 NOT NULL,
	"deadline_at" timestamp (3) with time zone NOT NULL,
	"revision" integer DEFAULT 0 NOT NULL,
	"wake_at" timestamp (3) with time zone,
	"wake_seq" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "runner_tasks_token_hash_unique" UNIQUE("token_hash"),
	CONSTRAINT "runner_tasks_wake_until_they_end" CHECK ((status = 'ENDED') = (wake_at is null))
);
--> statement-breakpoint
ALTER TABLE "execution_environments" ADD COLUMN "size" jsonb;--> statement-breakpoint
ALTER TABLE "execution_environments" ADD COLUMN "cluster_name" text;--> statement-breakpoint
ALTER TABLE "execution_environments" ADD COLUMN "ready_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "execution_environments" ADD COLUMN "problem" text;--> statement-breakpoint
ALTER TABLE "execution_environments" ADD COLUMN "registered_task" jsonb;--> statement-breakpoint
ALTER TABLE "runner_tasks" ADD CONSTRAINT "runner_tasks_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "runner_tasks" ADD CONSTRAINT "runner_tasks_step_execution_id_pipeline_step_executions_id_fk" FOREIGN KEY ("step_execution_id") REFERENCES "public"."pipeline_step_executions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "runner_tasks_once" ON "runner_tasks" USING btree ("step_execution_id","attempt_epoch");--> statement-breakpoint
CREATE INDEX "runner_tasks_environment" ON "runner_tasks" USING btree ("organization_id","execution_environment_id","id");--> statement-breakpoint
CREATE INDEX "runner_tasks_wake" ON "runner_tasks" USING btree ("wake_at") WHERE wake_at is not null;--> statement-breakpoint
SELECT wall_off('runner_tasks');
