CREATE TABLE "runner_tools" (
	"pool" text NOT NULL,
	"runner_id" text NOT NULL,
	"execution_environment_id" text,
	"versions" jsonb NOT NULL,
	"told_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "runner_tools_pool_runner_id_pk" PRIMARY KEY("pool","runner_id")
);
--> statement-breakpoint
ALTER TABLE "runner_tools" ADD CONSTRAINT "runner_tools_execution_environment_id_execution_environments_id_fk" FOREIGN KEY ("execution_environment_id") REFERENCES "public"."execution_environments"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "runner_tools_environment" ON "runner_tools" USING btree ("execution_environment_id");--> statement-breakpoint
-- Requests read what the installation's own runners have, and those of environments that they see; nothing writes for them.
ALTER TABLE "runner_tools" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY own_or_shared ON "runner_tools" FOR SELECT TO sluice_tenant
  USING (execution_environment_id IS NULL OR execution_environment_id IN (SELECT id FROM execution_environments));--> statement-breakpoint
GRANT SELECT ON "runner_tools" TO sluice_tenant;
