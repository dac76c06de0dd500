data "aws_caller_identity" "current" {}
data "aws_partition" "current" {}
data "aws_region" "current" {}

data "aws_subnet" "load_balancer" {
  for_each = toset(var.load_balancer_subnet_ids)
  id       = each.value
}

locals {
  account   = data.aws_caller_identity.current.account_id
  partition = data.aws_partition.current.partition
  region    = data.aws_region.current.name

  # Names and not a number, so that each node keeps its disk. Three: metadata and log survive the loss of one.
  engine_nodes = {
    for index in range(3) : "engine-${index + 1}" => var.private_subnet_ids[index % length(var.private_subnet_ids)]
  }
}

resource "aws_ecs_cluster" "main" {
  name = var.name

  setting {
    name  = "containerInsights"
    value = "enabled"
  }
}

# The nodes of the engine find each other by name; everything else calls a load balancer.
resource "aws_service_discovery_private_dns_namespace" "main" {
  name        = "${var.name}.internal"
  description = "Nodes of the engine of ${var.name}."
  vpc         = var.vpc_id
}

resource "aws_service_discovery_service" "engine" {
  for_each = local.engine_nodes
  name     = each.key

  dns_config {
    namespace_id   = aws_service_discovery_private_dns_namespace.main.id
    routing_policy = "MULTIVALUE"

    dns_records {
      type = "A"
      ttl  = 10
    }
  }
}

resource "aws_cloudwatch_log_group" "task" {
  for_each          = toset(concat(["api", "worker", "engine"], var.runner == null ? [] : ["runner"]))
  name              = "/${var.name}/${each.key}"
  retention_in_days = var.log_retention_days
}

# RDS would create it without a retention.
resource "aws_cloudwatch_log_group" "database" {
  name              = "/aws/rds/instance/${var.name}/postgresql"
  retention_in_days = var.log_retention_days
}
