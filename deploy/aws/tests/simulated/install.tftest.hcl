# The module on the simulated cloud, which plays ECS, load balancers, log groups, S3 and networks; the rest is
# overridden. deploy/checks/aws.test.ts starts the cloud.
variables {
  vpc_id                   = "vpc-0a1b2c3d4e5f60718"
  private_subnet_ids       = ["subnet-0a1b2c3d4e5f60711", "subnet-0a1b2c3d4e5f60712", "subnet-0a1b2c3d4e5f60713"]
  load_balancer_subnet_ids = ["subnet-0a1b2c3d4e5f60721", "subnet-0a1b2c3d4e5f60722", "subnet-0a1b2c3d4e5f60723"]

  public_url          = "https://sluice.example.com"
  image               = "registry.example.com/sluice:0.3.0"
  secret_arn          = "arn:aws:secretsmanager:eu-west-1:000000000001:secret:sluice-AbCdEf"
  database_ca         = "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n"
  assumable_role_arns = ["arn:aws:iam::*:role/sluice-*"]
  deletion_protection = false
  runner              = { image = "registry.example.com/sluice-runner:0.3.0", secret_arn = "arn:aws:secretsmanager:eu-west-1:000000000001:secret:pool-AbCdEf" }
}

# Its address is in AWS_ENDPOINT_URL.
provider "aws" {
  region                      = "eu-west-1"
  access_key                  = "AKIAINSTALLER"
  secret_key                  = "secret"
  s3_use_path_style           = true
  skip_credentials_validation = true
  skip_metadata_api_check     = true
  skip_region_validation      = true
}

override_resource {
  target = aws_iam_role.execution
  values = { arn = "arn:aws:iam::000000000001:role/sluice-execution" }
}
override_resource {
  target = aws_iam_role.task
  values = { arn = "arn:aws:iam::000000000001:role/sluice-task" }
}
override_resource {
  target = aws_iam_role_policy.execution
}
override_resource {
  target = aws_iam_role_policy.task
}
override_resource {
  target = aws_security_group.main
  values = { id = "sg-0a1b2c3d4e5f60713" }
}
override_resource {
  target = aws_vpc_security_group_ingress_rule.public
}
override_resource {
  target = aws_vpc_security_group_ingress_rule.flow
}
override_resource {
  target = aws_vpc_security_group_egress_rule.flow
}
override_resource {
  target = aws_vpc_security_group_egress_rule.internet
}
override_resource {
  target = aws_db_subnet_group.main
}
override_resource {
  target = aws_db_parameter_group.main
}
override_resource {
  target = aws_db_instance.main
  values = {
    address            = "db.example.com"
    port               = 5432
    master_user_secret = [{ secret_arn = "arn:aws:secretsmanager:eu-west-1:000000000001:secret:rds!db-owner", kms_key_id = "", secret_status = "active" }]
  }
}
override_resource {
  target = aws_efs_file_system.engine
  values = { id = "fs-0123456789abcdef0", arn = "arn:aws:elasticfilesystem:eu-west-1:000000000001:file-system/fs-0123456789abcdef0" }
}
override_resource {
  target = aws_efs_mount_target.engine
}
override_resource {
  target = aws_efs_access_point.engine
  values = { id = "fsap-0123456789abcdef0", arn = "arn:aws:elasticfilesystem:eu-west-1:000000000001:access-point/fsap-0123456789abcdef0" }
}
override_resource {
  target = aws_efs_file_system_policy.engine
}
override_resource {
  target = aws_service_discovery_private_dns_namespace.main
  values = { id = "ns-0123456789abcdef" }
}
override_resource {
  target = aws_service_discovery_service.engine
  values = { arn = "arn:aws:servicediscovery:eu-west-1:000000000001:service/srv-0123456789abcdef" }
}

run "setup" {
  module {
    source = "./tests/simulated/setup"
  }
}

run "installed" {
  variables {
    certificate_arn = run.setup.certificate_arn
  }
}

run "installed_as_described" {
  command = plan

  variables {
    certificate_arn = run.setup.certificate_arn
  }
}

# A new release, with more of everything.
run "changed" {
  variables {
    certificate_arn    = run.setup.certificate_arn
    image              = "registry.example.com/sluice:0.4.0"
    api                = { count = 3, memory = 2048 }
    worker             = { count = 3 }
    log_retention_days = 30
  }
}

run "changed_as_described" {
  command = plan

  variables {
    certificate_arn    = run.setup.certificate_arn
    image              = "registry.example.com/sluice:0.4.0"
    api                = { count = 3, memory = 2048 }
    worker             = { count = 3 }
    log_retention_days = 30
  }
}
