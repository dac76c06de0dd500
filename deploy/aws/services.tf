resource "aws_ecs_task_definition" "service" {
  for_each                 = { api = var.api, worker = var.worker }
  family                   = "${var.name}-${each.key}"
  requires_compatibilities = ["FARGATE"]
  network_mode             = "awsvpc"
  cpu                      = each.value.cpu
  memory                   = each.value.memory
  execution_role_arn       = aws_iam_role.execution["service"].arn
  task_role_arn            = aws_iam_role.task["service"].arn
  container_definitions    = jsonencode(local.service_containers[each.key])

  volume {
    name = "data"
  }
}

resource "aws_ecs_task_definition" "engine" {
  for_each                 = local.engine_nodes
  family                   = "${var.name}-${each.key}"
  requires_compatibilities = ["FARGATE"]
  network_mode             = "awsvpc"
  cpu                      = var.engine.cpu
  memory                   = var.engine.memory
  execution_role_arn       = aws_iam_role.execution["engine"].arn
  task_role_arn            = aws_iam_role.task["engine"].arn
  container_definitions    = jsonencode(local.engine_containers[each.key])

  volume {
    name = "config"
  }

  volume {
    name = "data"

    efs_volume_configuration {
      file_system_id     = aws_efs_file_system.engine.id
      transit_encryption = "ENABLED"

      authorization_config {
        access_point_id = aws_efs_access_point.engine[each.key].id
        iam             = "ENABLED"
      }
    }
  }
}

resource "aws_ecs_task_definition" "runner" {
  count                    = length(local.runner_containers)
  family                   = "${var.name}-runner"
  requires_compatibilities = ["FARGATE"]
  network_mode             = "awsvpc"
  cpu                      = var.runner.cpu
  memory                   = var.runner.memory
  execution_role_arn       = aws_iam_role.execution["runner"].arn
  container_definitions    = jsonencode(local.runner_containers)

  ephemeral_storage {
    size_in_gib = var.runner.disk_gib
  }

  volume {
    name = "data"
  }
}

# Each node keeps its zone, its name and its disk, which two tasks never share: the old one ends before the new one starts.
resource "aws_ecs_service" "engine" {
  for_each                           = local.engine_nodes
  name                               = each.key
  cluster                            = aws_ecs_cluster.main.arn
  task_definition                    = aws_ecs_task_definition.engine[each.key].arn
  desired_count                      = 1
  launch_type                        = "FARGATE"
  deployment_minimum_healthy_percent = 0
  deployment_maximum_percent         = 100
  health_check_grace_period_seconds  = 600 # a node waits for the others
  wait_for_steady_state              = true

  network_configuration {
    subnets         = [each.value]
    security_groups = [aws_security_group.main["engine"].id]
  }

  service_registries {
    registry_arn = aws_service_discovery_service.engine[each.key].arn
  }

  dynamic "load_balancer" {
    for_each = { engine-ingress = 8080, engine-admin = 9070 }

    content {
      target_group_arn = aws_lb_target_group.internal[load_balancer.key].arn
      container_name   = "engine"
      container_port   = load_balancer.value
    }
  }

  depends_on = [
    aws_efs_file_system_policy.engine,
    aws_efs_mount_target.engine,
    aws_iam_role_policy.execution,
    aws_iam_role_policy.task,
    aws_lb_listener.internal,
  ]
}

# Workers are replaced before APIs: docs/how-to/upgrade.md.
resource "aws_ecs_service" "worker" {
  name                               = "worker"
  cluster                            = aws_ecs_cluster.main.arn
  task_definition                    = aws_ecs_task_definition.service["worker"].arn
  desired_count                      = var.worker.count
  launch_type                        = "FARGATE"
  deployment_minimum_healthy_percent = 100
  deployment_maximum_percent         = 200
  health_check_grace_period_seconds  = 600 # migrations may take minutes
  wait_for_steady_state              = true

  deployment_circuit_breaker {
    enable   = true
    rollback = true
  }

  network_configuration {
    subnets         = var.private_subnet_ids
    security_groups = [aws_security_group.main["worker"].id]
  }

  load_balancer {
    target_group_arn = aws_lb_target_group.internal["worker"].arn
    container_name   = "worker"
    container_port   = 9080
  }

  depends_on = [aws_ecs_service.engine]
}

resource "aws_ecs_service" "api" {
  name                               = "api"
  cluster                            = aws_ecs_cluster.main.arn
  task_definition                    = aws_ecs_task_definition.service["api"].arn
  desired_count                      = var.api.count
  launch_type                        = "FARGATE"
  deployment_minimum_healthy_percent = 100
  deployment_maximum_percent         = 200
  health_check_grace_period_seconds  = 600
  wait_for_steady_state              = true

  deployment_circuit_breaker {
    enable   = true
    rollback = true
  }

  network_configuration {
    subnets         = var.private_subnet_ids
    security_groups = [aws_security_group.main["api"].id]
  }

  load_balancer {
    target_group_arn = aws_lb_target_group.api.arn
    container_name   = "api"
    container_port   = 4600
  }

  depends_on = [aws_lb_listener.https, aws_ecs_service.worker]
}

resource "aws_ecs_service" "runner" {
  count           = length(local.runner_containers)
  name            = "runner"
  cluster         = aws_ecs_cluster.main.arn
  task_definition = aws_ecs_task_definition.runner[0].arn
  desired_count   = var.runner.count
  launch_type     = "FARGATE"

  network_configuration {
    subnets         = var.private_subnet_ids
    security_groups = [aws_security_group.main["runner"].id]
  }

  depends_on = [aws_ecs_service.api, aws_iam_role_policy.execution]
}
