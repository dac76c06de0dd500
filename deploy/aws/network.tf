locals {
  security_groups = {
    load_balancer = "Load balancer of users, CI and webhooks."
    balancer      = "Load balancer between the engine and its callers."
    api           = "Tasks with the role api."
    worker        = "Tasks with the role worker."
    engine        = "Nodes of the engine."
    runner        = "Runners."
    database      = "Database."
    files         = "File system of the engine."
  }

  # Who calls whom: docs/reference/production.md. The engine does not authenticate its callers, so this table is what protects it.
  flows = {
    load_balancer_to_api  = { from = "load_balancer", to = "api", port = 4600 }
    api_to_database       = { from = "api", to = "database", port = 5432 }
    worker_to_database    = { from = "worker", to = "database", port = 5432 }
    api_to_ingress        = { from = "api", to = "balancer", port = 8080 }
    api_to_admin          = { from = "api", to = "balancer", port = 9070 }
    worker_to_ingress     = { from = "worker", to = "balancer", port = 8080 }
    worker_to_admin       = { from = "worker", to = "balancer", port = 9070 }
    engine_to_worker      = { from = "engine", to = "balancer", port = 9080 }
    balancer_to_ingress   = { from = "balancer", to = "engine", port = 8080 }
    balancer_to_admin     = { from = "balancer", to = "engine", port = 9070 }
    balancer_to_worker    = { from = "balancer", to = "worker", port = 9080 }
    balancer_to_health    = { from = "balancer", to = "worker", port = 4600 }
    engine_to_other_nodes = { from = "engine", to = "engine", port = 5122 }
    engine_to_files       = { from = "engine", to = "files", port = 2049 }
  }

  # The engine calls AWS only. The others also call git hosts, webhooks, mail servers and what steps use, on any port.
  internet = {
    api    = { from_port = 0, to_port = 65535 }
    worker = { from_port = 0, to_port = 65535 }
    runner = { from_port = 0, to_port = 65535 }
    engine = { from_port = 443, to_port = 443 }
  }

  # Port 80 only redirects.
  public = {
    for pair in setproduct(var.allowed_cidrs, [80, 443]) : "${pair[0]} ${pair[1]}" => { cidr = pair[0], port = pair[1] }
  }
}

resource "aws_security_group" "main" {
  for_each    = local.security_groups
  name        = "${var.name}-${replace(each.key, "_", "-")}"
  description = each.value
  vpc_id      = var.vpc_id
}

resource "aws_vpc_security_group_ingress_rule" "public" {
  for_each          = local.public
  security_group_id = aws_security_group.main["load_balancer"].id
  cidr_ipv4         = each.value.cidr
  ip_protocol       = "tcp"
  from_port         = each.value.port
  to_port           = each.value.port
}

resource "aws_vpc_security_group_ingress_rule" "flow" {
  for_each                     = local.flows
  security_group_id            = aws_security_group.main[each.value.to].id
  referenced_security_group_id = aws_security_group.main[each.value.from].id
  ip_protocol                  = "tcp"
  from_port                    = each.value.port
  to_port                      = each.value.port
}

resource "aws_vpc_security_group_egress_rule" "flow" {
  for_each                     = local.flows
  security_group_id            = aws_security_group.main[each.value.from].id
  referenced_security_group_id = aws_security_group.main[each.value.to].id
  ip_protocol                  = "tcp"
  from_port                    = each.value.port
  to_port                      = each.value.port
}

resource "aws_vpc_security_group_egress_rule" "internet" {
  for_each          = local.internet
  security_group_id = aws_security_group.main[each.key].id
  cidr_ipv4         = "0.0.0.0/0"
  ip_protocol       = "tcp"
  from_port         = each.value.from_port
  to_port           = each.value.to_port
}
