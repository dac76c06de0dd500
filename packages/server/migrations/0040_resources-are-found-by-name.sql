-- Of what a deployment touched, the cloud's names alone: who pastes one finds the deployment.
CREATE INDEX "deployment_resources_names" ON "deployment_resources" USING gin (jsonb_path_query_array("resources", '$[*].id') jsonb_path_ops);
