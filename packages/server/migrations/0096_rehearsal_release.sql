ALTER TABLE "rehearsals" ADD COLUMN "release_hash" text;--> statement-breakpoint
ALTER TABLE "rehearsals" ADD COLUMN "step_execution_id" text;--> statement-breakpoint
CREATE INDEX "rehearsals_release" ON "rehearsals" USING btree ("module_instance_id","release_hash","id");--> statement-breakpoint
CREATE INDEX "rehearsals_step" ON "rehearsals" USING btree ("step_execution_id") WHERE step_execution_id is not null;
