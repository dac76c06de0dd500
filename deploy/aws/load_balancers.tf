resource "aws_lb" "public" {
  name                       = var.name
  load_balancer_type         = "application"
  internal                   = var.is_internal
  subnets                    = var.load_balancer_subnet_ids
  security_groups            = [aws_security_group.main["load_balancer"].id]
  idle_timeout               = 3600 # streams of changes and logs
  drop_invalid_header_fields = true
  enable_deletion_protection = var.deletion_protection
}

resource "aws_lb_target_group" "api" {
  name                 = "${var.name}-api"
  vpc_id               = var.vpc_id
  target_type          = "ip"
  protocol             = "HTTP"
  port                 = 4600
  deregistration_delay = 30

  health_check {
    path                = "/health/ready"
    matcher             = "200"
    interval            = 10
    timeout             = 5
    healthy_threshold   = 2
    unhealthy_threshold = 3
  }
}

resource "aws_lb_listener" "https" {
  load_balancer_arn = aws_lb.public.arn
  port              = 443
  protocol          = "HTTPS"
  certificate_arn   = var.certificate_arn
  ssl_policy        = "ELBSecurityPolicy-TLS13-1-2-2021-06"

  default_action {
    type             = "forward"
    target_group_arn = aws_lb_target_group.api.arn
  }
}

resource "aws_lb_listener" "http" {
  load_balancer_arn = aws_lb.public.arn
  port              = 80
  protocol          = "HTTP"

  default_action {
    type = "redirect"

    redirect {
      protocol    = "HTTPS"
      port        = "443"
      status_code = "HTTP_301"
    }
  }
}

# One address for all workers and one for all nodes of the engine. A balancer of connections spreads the engine's HTTP/2
# connections over the workers, which a name with several addresses does not.
resource "aws_lb" "internal" {
  name                             = "${var.name}-internal"
  load_balancer_type               = "network"
  internal                         = true
  subnets                          = var.private_subnet_ids
  security_groups                  = [aws_security_group.main["balancer"].id]
  enable_cross_zone_load_balancing = true
  enable_deletion_protection       = var.deletion_protection
}

locals {
  internal_ports = {
    worker         = { port = 9080, health = { port = 4600, path = "/health/ready" } }
    engine-ingress = { port = 8080, health = { port = 8080, path = "/restate/health" } }
    engine-admin   = { port = 9070, health = { port = 9070, path = "/health" } }
  }
}

resource "aws_lb_target_group" "internal" {
  for_each             = local.internal_ports
  name                 = "${var.name}-${each.key}"
  vpc_id               = var.vpc_id
  target_type          = "ip"
  protocol             = "TCP"
  port                 = each.value.port
  preserve_client_ip   = false # a node of the engine may call a worker that has its host
  deregistration_delay = 30

  health_check {
    protocol            = "HTTP"
    port                = each.value.health.port
    path                = each.value.health.path
    interval            = 10
    timeout             = 5
    healthy_threshold   = 2
    unhealthy_threshold = 2
  }
}

resource "aws_lb_listener" "internal" {
  for_each          = local.internal_ports
  load_balancer_arn = aws_lb.internal.arn
  port              = each.value.port
  protocol          = "TCP"

  default_action {
    type             = "forward"
    target_group_arn = aws_lb_target_group.internal[each.key].arn
  }
}
