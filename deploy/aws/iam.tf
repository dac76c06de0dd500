locals {
  # An ARN in `valueFrom` may go on with a key, a stage and a version: permissions are for the secret.
  secret_setting_arns = [for arn in values(var.secret_settings) : join(":", slice(split(":", arn), 0, 7))]
  access_point_arns   = [for name in keys(local.engine_nodes) : aws_efs_access_point.engine[name].arn]
  owner_secret_arn    = aws_db_instance.main.master_user_secret[0].secret_arn

  # What ECS itself reads to start the tasks of a program. Containers cannot use these roles.
  programs = merge(
    {
      service = {
        secrets = distinct(concat([var.secret_arn, local.owner_secret_arn], local.secret_setting_arns))
        logs    = ["api", "worker"]
      }
      engine = { secrets = [var.secret_arn], logs = ["engine"] }
    },
    var.runner == null ? {} : { runner = { secrets = [var.runner.secret_arn], logs = ["runner"] } },
  )

  task_policies = {
    service = [
      {
        Sid      = "CloudAccounts"
        Effect   = "Allow"
        Action   = ["sts:AssumeRole"]
        Resource = var.assumable_role_arns
      },
      {
        Sid      = "Archive"
        Effect   = "Allow"
        Action   = ["s3:PutObject", "s3:GetObject", "s3:DeleteObject"]
        Resource = ["${aws_s3_bucket.main["archive"].arn}/*"]
      },
    ]
    engine = [
      {
        Sid      = "Snapshots"
        Effect   = "Allow"
        Action   = ["s3:PutObject", "s3:GetObject", "s3:DeleteObject", "s3:AbortMultipartUpload"]
        Resource = ["${aws_s3_bucket.main["snapshots"].arn}/*"]
      },
      {
        Sid      = "SnapshotList"
        Effect   = "Allow"
        Action   = ["s3:ListBucket"]
        Resource = [aws_s3_bucket.main["snapshots"].arn]
      },
      {
        Sid       = "Disks"
        Effect    = "Allow"
        Action    = ["elasticfilesystem:ClientMount", "elasticfilesystem:ClientWrite"]
        Resource  = [aws_efs_file_system.engine.arn]
        Condition = { StringEquals = { "elasticfilesystem:AccessPointArn" = local.access_point_arns } }
      },
    ]
  }

  assume_by_tasks = jsonencode({
    Version = "2012-10-17"
    Statement = [{
      Effect    = "Allow"
      Principal = { Service = "ecs-tasks.amazonaws.com" }
      Action    = "sts:AssumeRole"
      Condition = {
        StringEquals = { "aws:SourceAccount" = local.account }
        ArnLike      = { "aws:SourceArn" = "arn:${local.partition}:ecs:${local.region}:${local.account}:*" }
      }
    }]
  })
}

resource "aws_iam_role" "execution" {
  for_each           = local.programs
  name               = "${var.name}-${each.key}-execution"
  description        = "Starts tasks of ${var.name}: images, logs and secrets of ${each.key}."
  assume_role_policy = local.assume_by_tasks
}

resource "aws_iam_role_policy" "execution" {
  for_each = local.programs
  name     = "start-tasks"
  role     = aws_iam_role.execution[each.key].id

  policy = jsonencode({
    Version = "2012-10-17"
    Statement = concat(
      [
        {
          Sid      = "Secrets"
          Effect   = "Allow"
          Action   = ["secretsmanager:GetSecretValue"]
          Resource = each.value.secrets
        },
        {
          Sid      = "Logs"
          Effect   = "Allow"
          Action   = ["logs:CreateLogStream", "logs:PutLogEvents"]
          Resource = [for group in each.value.logs : "${aws_cloudwatch_log_group.task[group].arn}:*"]
        },
      ],
      length(var.image_repository_arns) == 0 ? [] : [
        {
          Sid      = "Images"
          Effect   = "Allow"
          Action   = ["ecr:BatchCheckLayerAvailability", "ecr:BatchGetImage", "ecr:GetDownloadUrlForLayer"]
          Resource = var.image_repository_arns
        },
        {
          Sid      = "Registry"
          Effect   = "Allow"
          Action   = ["ecr:GetAuthorizationToken"]
          Resource = ["*"] # it takes no other
        },
      ],
    )
  })
}

# Runners have none: their steps get credentials of a cloud account from the service.
resource "aws_iam_role" "task" {
  for_each           = local.task_policies
  name               = "${var.name}-${each.key}"
  description        = "What ${each.key} of ${var.name} does in AWS."
  assume_role_policy = local.assume_by_tasks
}

resource "aws_iam_role_policy" "task" {
  for_each = local.task_policies
  name     = each.key
  role     = aws_iam_role.task[each.key].id
  policy   = jsonencode({ Version = "2012-10-17", Statement = each.value })
}
