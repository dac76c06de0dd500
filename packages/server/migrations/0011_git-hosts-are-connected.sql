CREATE TABLE "spent_git_states" (
	"id" text PRIMARY KEY NOT NULL,
	"organization_id" text NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "githosta_installations" (
	"id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"organization_id" text NOT NULL,
	"githosta_installation_id" text NOT NULL,
	"account_name" text NOT NULL,
	"claimed_by_id" text NOT NULL,
	"access_lost" boolean DEFAULT false NOT NULL
);
--> statement-breakpoint
CREATE TABLE "githostb_connections" (
	"id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"organization_id" text NOT NULL,
	"instance_id" text,
	"base_url" text NOT NULL,
	"host_user_id" text NOT NULL,
	"user_name" text NOT NULL,
	"connected_by_id" text NOT NULL,
	"sealed_tokens" text NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"token_version" integer DEFAULT 0 NOT NULL,
	"renewing_until" timestamp (3) with time zone,
	"access_lost" boolean DEFAULT false NOT NULL
);
--> statement-breakpoint
CREATE TABLE "githostb_instances" (
	"id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"organization_id" text NOT NULL,
	"base_url" text NOT NULL,
	"client_id" text NOT NULL,
	"sealed_client_secret" text NOT NULL
);
--> statement-breakpoint
ALTER TABLE "code_sources" ADD COLUMN "webhook_secret_hash" text;--> statement-breakpoint
ALTER TABLE "spent_git_states" ADD CONSTRAINT "spent_git_states_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "githosta_installations" ADD CONSTRAINT "githosta_installations_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "githostb_connections" ADD CONSTRAINT "githostb_connections_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "githostb_connections" ADD CONSTRAINT "githostb_connections_instance_id_githostb_instances_id_fk" FOREIGN KEY ("instance_id") REFERENCES "public"."githostb_instances"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "githostb_instances" ADD CONSTRAINT "githostb_instances_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "spent_git_states_organization" ON "spent_git_states" USING btree ("organization_id","expires_at");--> statement-breakpoint
CREATE UNIQUE INDEX "githosta_installations_once" ON "githosta_installations" USING btree ("organization_id","githosta_installation_id");--> statement-breakpoint
CREATE INDEX "githosta_installations_installation" ON "githosta_installations" USING btree ("githosta_installation_id");--> statement-breakpoint
CREATE UNIQUE INDEX "githostb_connections_once" ON "githostb_connections" USING btree ("organization_id","base_url","host_user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "githostb_instances_once" ON "githostb_instances" USING btree ("organization_id","base_url");--> statement-breakpoint
CREATE INDEX "code_sources_git_repository" ON "code_sources" USING btree ("git_repository_id");--> statement-breakpoint
SELECT wall_off(name::regclass) FROM unnest(ARRAY[
  'githosta_installations', 'githostb_connections', 'githostb_instances', 'spent_git_states']) AS name;
