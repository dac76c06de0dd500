CREATE TABLE "event_queues" (
	"id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"organization_id" text NOT NULL,
	"cloud_account_id" text NOT NULL,
	"queue_arn" text NOT NULL,
	"leased_by" text,
	"leased_until" timestamp (3) with time zone,
	"last_polled_at" timestamp (3) with time zone,
	"error" jsonb
);
--> statement-breakpoint
ALTER TABLE "infrastructure_events" ADD COLUMN "wake_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "event_queues" ADD CONSTRAINT "event_queues_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "event_queues" ADD CONSTRAINT "event_queues_cloud_account_id_cloud_accounts_id_fk" FOREIGN KEY ("cloud_account_id") REFERENCES "public"."cloud_accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "event_queues_account" ON "event_queues" USING btree ("cloud_account_id");--> statement-breakpoint
CREATE UNIQUE INDEX "event_queues_arn" ON "event_queues" USING btree ("queue_arn");--> statement-breakpoint
CREATE INDEX "event_queues_organization" ON "event_queues" USING btree ("organization_id");--> statement-breakpoint
CREATE INDEX "deployments_resource_history" ON "deployments" USING btree ("organization_id","resource_arn","id");--> statement-breakpoint
CREATE INDEX "infrastructure_events_wake" ON "infrastructure_events" USING btree ("wake_at") WHERE wake_at is not null;--> statement-breakpoint
SELECT wall_off('event_queues');
