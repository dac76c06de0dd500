resource "aws_ecs_cluster" "main" {
  name = "provider"
  tags = local.tags
  setting {
    name  = "containerInsights"
    value = "enabled"
  }
}

resource "aws_ecs_task_definition" "web" {
  family                   = "provider-web"
  requires_compatibilities = ["FARGATE"]
  network_mode             = "awsvpc"
  cpu                      = 256
  memory                   = 512
  container_definitions = jsonencode([{
    name = "app", image = "shop/app:${var.step}", essential = true, portMappings = [{ containerPort = 8080 }]
  }])
}

resource "aws_lb" "main" {
  name               = "provider"
  load_balancer_type = "application"
  subnets            = ["subnet-0a1b2c3d4e5f60711", "subnet-0a1b2c3d4e5f60712"]
  security_groups    = ["sg-0a1b2c3d4e5f60713"]
  tags               = local.tags
}

resource "aws_lb_target_group" "web" {
  name        = "provider-web"
  port        = 8080
  protocol    = "HTTP"
  target_type = "ip"
  vpc_id      = "vpc-0a1b2c3d4e5f60718"
  tags        = local.tags
}

resource "aws_lb_target_group" "connections" {
  name        = "provider-connections"
  port        = 9080
  protocol    = "TCP"
  target_type = "ip"
  vpc_id      = "vpc-0a1b2c3d4e5f60718"
  tags        = local.tags
}

# Without a tag, which others have.
resource "aws_cloudwatch_log_group" "plain" {
  name              = "/provider/plain"
  retention_in_days = local.second ? 30 : 7
}

resource "aws_lb_listener" "http" {
  load_balancer_arn = aws_lb.main.arn
  port              = 80
  protocol          = "HTTP"
  tags              = local.tags
  default_action {
    type = "fixed-response"
    fixed_response {
      content_type = "text/plain"
      message_body = "No such host."
      status_code  = "404"
    }
  }
}

resource "aws_lb_listener_rule" "web" {
  listener_arn = aws_lb_listener.http.arn
  priority     = 10
  action {
    type             = "forward"
    target_group_arn = aws_lb_target_group.web.arn
  }
  condition {
    path_pattern { values = [local.second ? "/shop/*" : "/*"] }
  }
}

resource "aws_ecs_service" "web" {
  name            = "web"
  cluster         = aws_ecs_cluster.main.arn
  task_definition = aws_ecs_task_definition.web.arn
  desired_count   = var.step
  launch_type     = "FARGATE"
  tags            = local.tags
  network_configuration {
    subnets         = ["subnet-0a1b2c3d4e5f60711"]
    security_groups = ["sg-0a1b2c3d4e5f60713"]
  }
  load_balancer {
    target_group_arn = aws_lb_target_group.web.arn
    container_name   = "app"
    container_port   = 8080
  }
  depends_on = [aws_lb_listener_rule.web]
}
