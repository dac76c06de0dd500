DROP INDEX "deployments_status";
