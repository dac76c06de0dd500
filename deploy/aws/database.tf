locals {
  # While a deployment replaces tasks, old and new ones exist at the same time. Ten more for `migrate` and operators.
  max_connections = 2 * (var.api.count + var.worker.count) * (var.database.connections_count + 1) + 10
}

resource "aws_db_subnet_group" "main" {
  name       = var.name
  subnet_ids = var.private_subnet_ids
}

resource "aws_db_parameter_group" "main" {
  name_prefix = "${var.name}-"
  family      = "postgres${split(".", var.database.version)[0]}"
  description = "PostgreSQL of ${var.name}."

  parameter {
    name  = "rds.force_ssl"
    value = "1"
  }

  parameter {
    name         = "max_connections"
    value        = local.max_connections
    apply_method = "pending-reboot"
  }

  lifecycle {
    create_before_destroy = true
  }
}

resource "aws_db_instance" "main" {
  identifier     = var.name
  engine         = "postgres"
  engine_version = var.database.version
  instance_class = var.database.instance_class
  db_name        = "sluice"

  # Owns the tables. RDS makes its password, keeps it in Secrets Manager and rotates it; only `migrate` reads it.
  username                    = "sluice_owner"
  manage_master_user_password = true

  storage_type          = "gp3"
  allocated_storage     = var.database.storage_gib
  max_allocated_storage = var.database.max_storage_gib
  storage_encrypted     = true

  multi_az               = var.database.is_multi_az
  db_subnet_group_name   = aws_db_subnet_group.main.name
  vpc_security_group_ids = [aws_security_group.main["database"].id]
  publicly_accessible    = false
  parameter_group_name   = aws_db_parameter_group.main.name

  backup_retention_period   = var.database.backup_days
  copy_tags_to_snapshot     = true
  deletion_protection       = var.deletion_protection
  skip_final_snapshot       = !var.deletion_protection
  final_snapshot_identifier = "${var.name}-final"

  auto_minor_version_upgrade      = true
  enabled_cloudwatch_logs_exports = ["postgresql"]

  depends_on = [aws_cloudwatch_log_group.database]
}
