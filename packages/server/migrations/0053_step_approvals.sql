CREATE TABLE "step_approvals" (
	"id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"organization_id" text NOT NULL,
	"pipeline_run_id" text NOT NULL,
	"step_execution_id" text NOT NULL,
	"actor_type" text NOT NULL,
	"actor_id" text NOT NULL,
	"actor_name" text NOT NULL,
	"comment" text,
	"plans" text NOT NULL
);
--> statement-breakpoint
ALTER TABLE "approval_rules" ADD COLUMN "guards" jsonb DEFAULT '["DEPLOYMENTS"]'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "step_approvals" ADD CONSTRAINT "step_approvals_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "step_approvals" ADD CONSTRAINT "step_approvals_step_execution_id_pipeline_step_executions_id_fk" FOREIGN KEY ("step_execution_id") REFERENCES "public"."pipeline_step_executions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "step_approvals_organization" ON "step_approvals" USING btree ("organization_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "step_approvals_actor" ON "step_approvals" USING btree ("step_execution_id","actor_id");--> statement-breakpoint
SELECT wall_off('step_approvals');
--> statement-breakpoint
SELECT show_if('step_approvals', 'is_run_shown(pipeline_run_id, (SELECT hidden_places()))');
