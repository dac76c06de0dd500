CREATE TABLE "notification_events" (
	"id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"organization_id" text NOT NULL,
	"number" bigint GENERATED ALWAYS AS IDENTITY (sequence name "notification_events_number_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1) NOT NULL,
	"event_id" text NOT NULL,
	"record_id" text NOT NULL,
	"project_id" text,
	"environment_id" text,
	"type" text NOT NULL,
	"payload" jsonb NOT NULL
);
--> statement-breakpoint
ALTER TABLE "notification_positions" ADD COLUMN "is_asked_for" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "notification_positions" ADD COLUMN "forgotten_number" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "notification_events" ADD CONSTRAINT "notification_events_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notification_events" ADD CONSTRAINT "notification_events_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notification_events" ADD CONSTRAINT "notification_events_environment_id_environments_id_fk" FOREIGN KEY ("environment_id") REFERENCES "public"."environments"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "notification_events_once" ON "notification_events" USING btree ("organization_id","event_id");--> statement-breakpoint
CREATE INDEX "notification_events_number" ON "notification_events" USING btree ("organization_id","number");--> statement-breakpoint
CREATE INDEX "notification_events_project" ON "notification_events" USING btree ("project_id");--> statement-breakpoint
CREATE INDEX "notification_events_environment" ON "notification_events" USING btree ("environment_id");--> statement-breakpoint
SELECT wall_off('notification_events');
--> statement-breakpoint
SELECT show_if('notification_events', '(ARRAY[project_id, environment_id] && (SELECT hidden_places())) IS NOT TRUE');
