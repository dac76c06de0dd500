CREATE INDEX "artifacts_key" ON "artifacts" USING btree ("organization_id","key");
