-- With where they are in it: what says whether somebody may see a deployment is read without its row. The index that it
-- replaces goes in a migration of its own, so that deployments can be read while this one is made.
CREATE INDEX "deployments_of_status" ON "deployments" USING btree ("organization_id","status","id","project_id","environment_id");
