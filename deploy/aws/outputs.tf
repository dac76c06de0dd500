output "load_balancer" {
  description = "DNS name and hosted zone of the load balancer, for an alias record of the host of public_url."
  value       = { dns_name = aws_lb.public.dns_name, zone_id = aws_lb.public.zone_id }
}

output "service_role_arn" {
  description = "Role that Sluice is in AWS: the principal in the trust policy of the roles that it assumes."
  value       = aws_iam_role.task["service"].arn
}

output "cluster_name" {
  description = "ECS cluster with the services api, worker, engine-1 to engine-3 and runner."
  value       = aws_ecs_cluster.main.name
}

output "database" {
  description = "Host of the database, and the secret with the password of its owner, sluice_owner."
  value = {
    host              = aws_db_instance.main.address
    owner_secret_arn  = local.owner_secret_arn
    max_connections   = local.max_connections
    security_group_id = aws_security_group.main["database"].id
  }
}

output "buckets" {
  description = "Names of the buckets of the archive and of the engine's snapshots."
  value       = { for purpose, bucket in aws_s3_bucket.main : purpose => bucket.bucket }
}

output "log_groups" {
  description = "CloudWatch log groups by program."
  value       = { for program, group in aws_cloudwatch_log_group.task : program => group.name }
}

output "security_group_ids" {
  description = "Security groups by what is in them, for rules of your own: Prometheus reads /metrics of worker at port 4600."
  value       = { for part, group in aws_security_group.main : part => group.id }
}
