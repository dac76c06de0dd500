CREATE TABLE "watched_repositories" (
	"id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"organization_id" text NOT NULL,
	"project_id" text NOT NULL,
	"code_source_id" text NOT NULL,
	"branch" text NOT NULL,
	"path" text NOT NULL,
	"service_account_id" text,
	"apply" text NOT NULL,
	"prune" boolean NOT NULL,
	"run_stacks" boolean NOT NULL,
	"comments" boolean NOT NULL,
	"status" text NOT NULL,
	"message" text,
	"commit" text,
	"planned_at" timestamp (3) with time zone,
	"applied_commit" text,
	"applied_at" timestamp (3) with time zone,
	"plan" jsonb NOT NULL,
	"plan_digest" text,
	"change_count" integer DEFAULT 0 NOT NULL,
	"fault_count" integer DEFAULT 0 NOT NULL,
	"approved_digest" text,
	"approved_by" text,
	"revision" integer DEFAULT 0 NOT NULL,
	"failures" integer DEFAULT 0 NOT NULL,
	"due_at" timestamp (3) with time zone,
	"wake_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "watched_pull_requests" (
	"id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"organization_id" text NOT NULL,
	"project_id" text NOT NULL,
	"watched_repository_id" text NOT NULL,
	"number" integer NOT NULL,
	"commit" text NOT NULL,
	"told" text,
	"revision" integer DEFAULT 0 NOT NULL,
	"failures" integer DEFAULT 0 NOT NULL,
	"due_at" timestamp (3) with time zone,
	"wake_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "watched_repositories" ADD CONSTRAINT "watched_repositories_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "watched_repositories" ADD CONSTRAINT "watched_repositories_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "watched_repositories" ADD CONSTRAINT "watched_repositories_service_account_id_service_accounts_id_fk" FOREIGN KEY ("service_account_id") REFERENCES "public"."service_accounts"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "watched_pull_requests" ADD CONSTRAINT "watched_pull_requests_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "watched_pull_requests" ADD CONSTRAINT "watched_pull_requests_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "watched_pull_requests" ADD CONSTRAINT "watched_pull_requests_watched_repository_id_watched_repositories_id_fk" FOREIGN KEY ("watched_repository_id") REFERENCES "public"."watched_repositories"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "watched_repositories_project" ON "watched_repositories" USING btree ("project_id");--> statement-breakpoint
CREATE INDEX "watched_repositories_organization" ON "watched_repositories" USING btree ("organization_id","id");--> statement-breakpoint
CREATE INDEX "watched_repositories_code_source" ON "watched_repositories" USING btree ("code_source_id");--> statement-breakpoint
CREATE INDEX "watched_repositories_service_account" ON "watched_repositories" USING btree ("service_account_id");--> statement-breakpoint
CREATE INDEX "watched_repositories_wake" ON "watched_repositories" USING btree ("wake_at") WHERE wake_at is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "watched_pull_requests_once" ON "watched_pull_requests" USING btree ("watched_repository_id","number");--> statement-breakpoint
CREATE INDEX "watched_pull_requests_organization" ON "watched_pull_requests" USING btree ("organization_id");--> statement-breakpoint
CREATE INDEX "watched_pull_requests_project" ON "watched_pull_requests" USING btree ("project_id");--> statement-breakpoint
CREATE INDEX "watched_pull_requests_wake" ON "watched_pull_requests" USING btree ("wake_at") WHERE wake_at is not null;--> statement-breakpoint
SELECT wall_off('watched_repositories');
--> statement-breakpoint
SELECT wall_off('watched_pull_requests');
--> statement-breakpoint
SELECT show_if('watched_repositories', '(ARRAY[project_id] && (SELECT hidden_places())) IS NOT TRUE');
--> statement-breakpoint
SELECT show_if('watched_pull_requests', '(ARRAY[project_id] && (SELECT hidden_places())) IS NOT TRUE');
--> statement-breakpoint
SELECT note_changes_of('watched_repositories', 'project_id');
--> statement-breakpoint
-- That one was looked at is no change of it.
DROP TRIGGER change_noted ON watched_repositories;
--> statement-breakpoint
CREATE TRIGGER change_noted AFTER INSERT OR DELETE OR UPDATE OF code_source_id, branch, path, service_account_id, apply, prune, run_stacks, comments, status, message, commit, applied_commit, plan_digest, fault_count, approved_by ON watched_repositories
  FOR EACH ROW EXECUTE FUNCTION note_change_of_watched_repositories();
