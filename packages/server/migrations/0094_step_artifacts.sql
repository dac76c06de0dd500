CREATE TABLE "step_artifact_pieces" (
	"id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"organization_id" text NOT NULL,
	"step_artifact_id" text NOT NULL,
	"position" integer NOT NULL,
	"sealed" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "step_artifacts" (
	"id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"organization_id" text NOT NULL,
	"pipeline_run_id" text NOT NULL,
	"step_execution_id" text NOT NULL,
	"name" text NOT NULL,
	"piece_count" integer DEFAULT 0 NOT NULL,
	"file_count" integer DEFAULT 0 NOT NULL,
	"size_bytes" integer DEFAULT 0 NOT NULL,
	"sha256" text DEFAULT '' NOT NULL,
	"stored_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "step_artifact_pieces" ADD CONSTRAINT "step_artifact_pieces_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "step_artifact_pieces" ADD CONSTRAINT "step_artifact_pieces_step_artifact_id_step_artifacts_id_fk" FOREIGN KEY ("step_artifact_id") REFERENCES "public"."step_artifacts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "step_artifacts" ADD CONSTRAINT "step_artifacts_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "step_artifacts" ADD CONSTRAINT "step_artifacts_pipeline_run_id_pipeline_runs_id_fk" FOREIGN KEY ("pipeline_run_id") REFERENCES "public"."pipeline_runs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "step_artifacts" ADD CONSTRAINT "step_artifacts_step_execution_id_pipeline_step_executions_id_fk" FOREIGN KEY ("step_execution_id") REFERENCES "public"."pipeline_step_executions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "step_artifact_pieces_position" ON "step_artifact_pieces" USING btree ("step_artifact_id","position");--> statement-breakpoint
CREATE INDEX "step_artifact_pieces_organization" ON "step_artifact_pieces" USING btree ("organization_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "step_artifacts_name" ON "step_artifacts" USING btree ("pipeline_run_id","name");--> statement-breakpoint
CREATE INDEX "step_artifacts_step" ON "step_artifacts" USING btree ("step_execution_id");--> statement-breakpoint
CREATE INDEX "step_artifacts_organization" ON "step_artifacts" USING btree ("organization_id","id");--> statement-breakpoint
SELECT keep_bytes_of('step_artifact_pieces', 'sealed');--> statement-breakpoint
SELECT wall_off('step_artifacts');--> statement-breakpoint
SELECT wall_off('step_artifact_pieces');--> statement-breakpoint
SELECT show_if('step_artifacts', 'is_step_shown(step_execution_id, (SELECT hidden_places()))');--> statement-breakpoint
SELECT show_if('step_artifact_pieces', 'step_artifact_id IN (SELECT id FROM step_artifacts)');
