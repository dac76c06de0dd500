# The module as a whole, with every call of AWS played by Terraform: `terraform test`.
mock_provider "aws" {
  mock_data "aws_caller_identity" {
    defaults = { account_id = "111122223333" }
  }
  mock_data "aws_partition" {
    defaults = { partition = "aws" }
  }
  mock_data "aws_region" {
    defaults = { name = "eu-central-1" }
  }
  mock_data "aws_subnet" {
    defaults = { cidr_block = "10.0.0.0/24" }
  }
  mock_resource "aws_iam_role" {
    defaults = { arn = "arn:aws:iam::111122223333:role/mock" }
  }
  mock_resource "aws_lb" {
    defaults = {
      arn      = "arn:aws:elasticloadbalancing:eu-central-1:111122223333:loadbalancer/app/mock/0123456789abcdef"
      dns_name = "internal.example.com"
    }
  }
  mock_resource "aws_lb_target_group" {
    defaults = { arn = "arn:aws:elasticloadbalancing:eu-central-1:111122223333:targetgroup/mock/0123456789abcdef" }
  }
  mock_resource "aws_lb_listener" {
    defaults = { arn = "arn:aws:elasticloadbalancing:eu-central-1:111122223333:listener/app/mock/0123456789abcdef/0123456789abcdef" }
  }
  mock_resource "aws_ecs_cluster" {
    defaults = { arn = "arn:aws:ecs:eu-central-1:111122223333:cluster/mock" }
  }
  mock_resource "aws_ecs_task_definition" {
    defaults = { arn = "arn:aws:ecs:eu-central-1:111122223333:task-definition/mock:1" }
  }
  mock_resource "aws_cloudwatch_log_group" {
    defaults = { arn = "arn:aws:logs:eu-central-1:111122223333:log-group:mock" }
  }
  mock_resource "aws_s3_bucket" {
    defaults = { arn = "arn:aws:s3:::mock" }
  }
  mock_resource "aws_efs_file_system" {
    defaults = { arn = "arn:aws:elasticfilesystem:eu-central-1:111122223333:file-system/fs-0123456789abcdef0" }
  }
  mock_resource "aws_efs_access_point" {
    defaults = { arn = "arn:aws:elasticfilesystem:eu-central-1:111122223333:access-point/fsap-0123456789abcdef0" }
  }
  mock_resource "aws_service_discovery_service" {
    defaults = { arn = "arn:aws:servicediscovery:eu-central-1:111122223333:service/srv-0123456789abcdef" }
  }
  mock_resource "aws_db_instance" {
    defaults = {
      address            = "db.example.com"
      port               = 5432
      master_user_secret = [{ secret_arn = "arn:aws:secretsmanager:eu-central-1:111122223333:secret:rds!db-owner", kms_key_id = "", secret_status = "active" }]
    }
  }
}

variables {
  public_url               = "https://sluice.example.com"
  certificate_arn          = "arn:aws:acm:eu-central-1:111122223333:certificate/0d1e2f30-4a5b-4c6d-8e7f-90a1b2c3d4e5"
  vpc_id                   = "vpc-1"
  private_subnet_ids       = ["subnet-1", "subnet-2", "subnet-3"]
  load_balancer_subnet_ids = ["subnet-4", "subnet-5"]
  image                    = "registry.example.com/sluice:0.3.0"
  secret_arn               = "arn:aws:secretsmanager:eu-central-1:111122223333:secret:sluice-AbCdEf"
  secret_settings          = { SLUICE_SMTP_URL = "arn:aws:secretsmanager:eu-central-1:111122223333:secret:mail-AbCdEf:URL::" }
  database_ca              = "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n"
  assumable_role_arns      = ["arn:aws:iam::*:role/sluice-*"]
}

run "database" {
  assert {
    condition     = aws_db_instance.main.storage_encrypted && !aws_db_instance.main.publicly_accessible && aws_db_instance.main.multi_az
    error_message = "database.tf: the database is encrypted, private and has a standby in another zone."
  }
  assert {
    condition     = aws_db_instance.main.manage_master_user_password && aws_db_instance.main.password == null
    error_message = "database.tf: RDS makes the owner's password, so that it is not in the state."
  }
  assert {
    condition     = aws_db_instance.main.backup_retention_period == 14 && aws_db_instance.main.deletion_protection && !aws_db_instance.main.skip_final_snapshot
    error_message = "database.tf: backups of 14 days, deletion protection and a final snapshot are the default."
  }
  assert {
    condition     = { for parameter in aws_db_parameter_group.main.parameter : parameter.name => parameter.value } == { "rds.force_ssl" = "1", max_connections = "178" }
    error_message = "database.tf: the server accepts TLS only, and twice the connections of two APIs and two workers with 20 each."
  }
}

run "network" {
  assert {
    condition     = toset([for rule in aws_vpc_security_group_ingress_rule.public : "${rule.cidr_ipv4} ${rule.from_port}-${rule.to_port}"]) == toset(["0.0.0.0/0 80-80", "0.0.0.0/0 443-443"])
    error_message = "network.tf: the internet reaches the ports 80 and 443 of the load balancer only."
  }
  assert {
    condition = jsonencode({ for to, callers in { for flow in values(local.flows) : flow.to => "${flow.from} ${flow.port}"... } : to => sort(callers) }) == jsonencode({
      api      = ["load_balancer 4600"]
      balancer = ["api 8080", "api 9070", "engine 9080", "worker 8080", "worker 9070"]
      database = ["api 5432", "worker 5432"]
      engine   = ["balancer 8080", "balancer 9070", "engine 5122"]
      files    = ["engine 2049"]
      worker   = ["balancer 4600", "balancer 9080"]
    })
    error_message = "network.tf: the calls between parts are those of docs/reference/production.md; nobody calls runners."
  }
  assert {
    condition     = toset(keys(aws_vpc_security_group_ingress_rule.flow)) == toset(keys(local.flows)) && toset(keys(aws_vpc_security_group_egress_rule.flow)) == toset(keys(local.flows))
    error_message = "network.tf: each call is allowed at both ends."
  }
  assert {
    condition     = aws_vpc_security_group_egress_rule.internet["engine"].from_port == 443 && !contains(keys(aws_vpc_security_group_egress_rule.internet), "database")
    error_message = "network.tf: the engine calls AWS by TLS only, the database calls nobody."
  }
}

run "load_balancers" {
  assert {
    condition     = aws_lb_listener.https.protocol == "HTTPS" && aws_lb_listener.https.certificate_arn == var.certificate_arn && startswith(aws_lb_listener.https.ssl_policy, "ELBSecurityPolicy-TLS13-")
    error_message = "load_balancers.tf: users are served by TLS 1.2 or later with the given certificate."
  }
  assert {
    condition     = aws_lb_listener.http.default_action[0].type == "redirect" && aws_lb_listener.http.default_action[0].redirect[0].protocol == "HTTPS"
    error_message = "load_balancers.tf: port 80 redirects to TLS and serves nothing."
  }
  assert {
    condition     = aws_lb_target_group.api.health_check[0].path == "/health/ready" && aws_lb.public.idle_timeout == 3600 && aws_lb.public.enable_deletion_protection
    error_message = "load_balancers.tf: the load balancer asks for readiness, and holds streams for an hour."
  }
  assert {
    condition     = aws_lb.internal.internal && { for name, listener in aws_lb_listener.internal : name => listener.port } == { worker = 9080, engine-ingress = 8080, engine-admin = 9070 }
    error_message = "load_balancers.tf: the engine and the workers are behind an internal load balancer."
  }
}

run "storage" {
  assert {
    condition = alltrue([for bucket in ["archive", "snapshots"] : alltrue([
      aws_s3_bucket_versioning.main[bucket].versioning_configuration[0].status == "Enabled",
      [for rule in aws_s3_bucket_server_side_encryption_configuration.main[bucket].rule : rule.apply_server_side_encryption_by_default[0].sse_algorithm] == ["AES256"],
      aws_s3_bucket_public_access_block.main[bucket].block_public_acls,
      aws_s3_bucket_public_access_block.main[bucket].block_public_policy,
      aws_s3_bucket_public_access_block.main[bucket].ignore_public_acls,
      aws_s3_bucket_public_access_block.main[bucket].restrict_public_buckets,
      !aws_s3_bucket.main[bucket].force_destroy,
    ])])
    error_message = "storage.tf: buckets are versioned, encrypted and private, and are not removed with what they contain."
  }
  assert {
    condition     = alltrue([for policy in aws_s3_bucket_policy.main : jsondecode(policy.policy).Statement[0].Effect == "Deny" && jsondecode(policy.policy).Statement[0].Condition.Bool["aws:SecureTransport"] == "false"])
    error_message = "storage.tf: buckets reject requests without TLS."
  }
  assert {
    condition     = alltrue([for configuration in aws_s3_bucket_lifecycle_configuration.main : configuration.rule[0].noncurrent_version_expiration[0].noncurrent_days == 30])
    error_message = "storage.tf: a rule removes old versions."
  }
  assert {
    condition     = aws_efs_file_system.engine.encrypted && toset([for point in aws_efs_access_point.engine : point.root_directory[0].path]) == toset(["/engine-1", "/engine-2", "/engine-3"])
    error_message = "storage.tf: the disks of the engine are encrypted, and each node has a folder of its own."
  }
  assert {
    condition     = jsondecode(aws_efs_file_system_policy.engine.policy).Statement[0].Condition.Bool["aws:SecureTransport"] == "true"
    error_message = "storage.tf: the file system is mounted by TLS only."
  }
}

run "permissions" {
  variables {
    image_repository_arns = ["arn:aws:ecr:eu-central-1:111122223333:repository/sluice"]
  }

  assert {
    condition     = alltrue([for policy in concat(values(aws_iam_role_policy.execution), values(aws_iam_role_policy.task)) : alltrue([for statement in jsondecode(policy.policy).Statement : alltrue([for action in statement.Action : !strcontains(action, "*")])])])
    error_message = "iam.tf: permissions name their actions."
  }
  assert {
    condition     = toset(flatten([for policy in concat(values(aws_iam_role_policy.execution), values(aws_iam_role_policy.task)) : [for statement in jsondecode(policy.policy).Statement : statement.Action if contains(flatten([statement.Resource]), "*")]])) == toset(["ecr:GetAuthorizationToken"])
    error_message = "iam.tf: only the token of the registry is for every resource, since it knows no other."
  }
  assert {
    condition     = toset(flatten([for statement in jsondecode(aws_iam_role_policy.task["service"].policy).Statement : statement.Action])) == toset(["sts:AssumeRole", "s3:PutObject", "s3:GetObject", "s3:DeleteObject"])
    error_message = "iam.tf: the service assumes roles and uses its archive, and does nothing else in this account."
  }
  assert {
    condition     = toset(flatten([for statement in jsondecode(aws_iam_role_policy.task["service"].policy).Statement : statement.Resource if contains(statement.Action, "sts:AssumeRole")])) == toset(var.assumable_role_arns)
    error_message = "iam.tf: the service assumes the given roles only."
  }
  assert {
    condition     = toset([for statement in jsondecode(aws_iam_role_policy.execution["engine"].policy).Statement : statement.Resource if statement.Sid == "Secrets"][0]) == toset([var.secret_arn])
    error_message = "iam.tf: tasks of the engine are started without the password of the database's owner."
  }
  assert {
    condition     = contains([for statement in jsondecode(aws_iam_role_policy.execution["service"].policy).Statement : statement.Resource if statement.Sid == "Secrets"][0], "arn:aws:secretsmanager:eu-central-1:111122223333:secret:mail-AbCdEf")
    error_message = "iam.tf: the permission for a secret setting is for the secret, without the key in it."
  }
  assert {
    condition     = alltrue([for role in concat(values(aws_iam_role.execution), values(aws_iam_role.task)) : jsondecode(role.assume_role_policy).Statement[0].Principal.Service == "ecs-tasks.amazonaws.com" && jsondecode(role.assume_role_policy).Statement[0].Condition.StringEquals["aws:SourceAccount"] == "111122223333"])
    error_message = "iam.tf: only tasks of this account are given the roles."
  }
}

run "tasks" {
  assert {
    condition     = alltrue([for definition in concat(values(aws_ecs_task_definition.service), values(aws_ecs_task_definition.engine)) : alltrue([for container in jsondecode(definition.container_definitions) : container.readonlyRootFilesystem && container.user == "10001:10001" && container.linuxParameters.capabilities.drop == ["ALL"]])])
    error_message = "containers.tf: containers run as a user without capabilities, on a root that they cannot write."
  }
  assert {
    condition     = alltrue([for definition in concat(values(aws_ecs_task_definition.service), values(aws_ecs_task_definition.engine)) : alltrue([for container in jsondecode(definition.container_definitions) : container.logConfiguration.options.mode == "non-blocking"])])
    error_message = "containers.tf: programs do not wait for their log."
  }
  assert {
    condition = alltrue([for definition in aws_ecs_task_definition.service : [
      for container in jsondecode(definition.container_definitions) : container.name
      if anytrue([for secret in try(container.secrets, []) : startswith(secret.valueFrom, "arn:aws:secretsmanager:eu-central-1:111122223333:secret:rds!db-owner")])
    ] == ["roles", "migrate"]])
    error_message = "containers.tf: only what prepares the database gets the password of its owner."
  }
  assert {
    condition     = alltrue([for program, definition in aws_ecs_task_definition.service : [for container in jsondecode(definition.container_definitions) : container.name] == ["files", "roles", "migrate", program]])
    error_message = "containers.tf: a task prepares its files, the roles and the schema, and then starts the program."
  }
  assert {
    condition     = alltrue([for definition in aws_ecs_task_definition.service : jsondecode(definition.container_definitions)[3].healthCheck.command[0] == "CMD" && jsondecode(definition.container_definitions)[3].stopTimeout == 60])
    error_message = "containers.tf: API and worker have a health check, and a minute to end."
  }
  assert {
    condition     = alltrue([for definition in aws_ecs_task_definition.engine : [for volume in definition.volume : volume.efs_volume_configuration[0].transit_encryption if volume.name == "data"] == ["ENABLED"]])
    error_message = "services.tf: the disks of the engine are mounted by TLS."
  }
}

run "services" {
  assert {
    condition     = { for name, service in aws_ecs_service.engine : name => tolist(service.network_configuration[0].subnets)[0] } == { engine-1 = "subnet-1", engine-2 = "subnet-2", engine-3 = "subnet-3" }
    error_message = "services.tf: each node of the engine has a zone of its own."
  }
  assert {
    condition     = alltrue([for service in aws_ecs_service.engine : service.desired_count == 1 && service.deployment_maximum_percent == 100 && service.deployment_minimum_healthy_percent == 0])
    error_message = "services.tf: two tasks never share the disk of a node."
  }
  assert {
    condition     = alltrue([for service in [aws_ecs_service.api, aws_ecs_service.worker] : service.desired_count == 2 && service.deployment_minimum_healthy_percent == 100 && service.deployment_circuit_breaker[0].rollback])
    error_message = "services.tf: API and worker are replaced without a gap, and go back where a release does not start."
  }
  assert {
    condition     = alltrue([for service in concat([aws_ecs_service.api, aws_ecs_service.worker], values(aws_ecs_service.engine)) : service.network_configuration[0].assign_public_ip != true])
    error_message = "services.tf: tasks have no public address."
  }
  assert {
    condition     = length(aws_ecs_service.runner) == 0 && alltrue([for group in aws_cloudwatch_log_group.task : group.retention_in_days == 90])
    error_message = "There are no runners without their token, and logs are removed after 90 days."
  }
}

run "runners" {
  variables {
    runner = { image = "registry.example.com/sluice-runner:0.3.0", secret_arn = "arn:aws:secretsmanager:eu-central-1:111122223333:secret:pool-AbCdEf" }
  }

  assert {
    condition     = [for secret in jsondecode(aws_ecs_task_definition.runner[0].container_definitions)[0].secrets : secret.name] == ["SLUICE_RUNNER_TOKEN"] && aws_ecs_task_definition.runner[0].task_role_arn == null
    error_message = "containers.tf: a runner has the token of its pool, and neither another secret nor a role."
  }
  assert {
    condition     = jsondecode(aws_ecs_task_definition.runner[0].container_definitions)[0].stopTimeout == 120
    error_message = "containers.tf: a runner has the two minutes that Fargate gives at most."
  }
}

run "rejects_wrong_values" {
  command = plan

  variables {
    name                     = "Sluice"
    public_url               = "http://sluice.example.com"
    certificate_arn          = "sluice.example.com"
    private_subnet_ids       = ["subnet-1"]
    load_balancer_subnet_ids = ["subnet-4"]
    allowed_cidrs            = ["everybody"]
    image                    = "registry.example.com/sluice:latest"
    secret_arn               = "sluice"
    settings                 = { DATABASE_URL = "postgres://elsewhere/sluice" }
    database_ca              = "eu-central-1-bundle.pem"
    database                 = { backup_days = 0 }
    assumable_role_arns      = ["*"]
  }

  expect_failures = [
    var.name, var.public_url, var.certificate_arn, var.private_subnet_ids, var.load_balancer_subnet_ids, var.allowed_cidrs,
    var.image, var.secret_arn, var.settings, var.database_ca, var.database, var.assumable_role_arns,
  ]
}
