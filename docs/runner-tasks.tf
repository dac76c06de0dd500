# Makes what steps need that run as tasks in a cloud account: see execution-environments.md. Once for each region and
# name; Sluice finds what it makes by the names below.
terraform {
  required_providers {
    aws = { source = "hashicorp/aws", version = ">= 5.0" }
  }
}

variable "cluster_name" {
  description = "The clusterName of the execution environment. Roles and log group are named after it."
  default     = "sluice-runners"
}

variable "vpc_id" {
  description = "Where the subnets of the execution environment are."
  type        = string
}

variable "task_policy_arns" {
  description = "What steps may do in the account, as ARNs of policies."
  default     = ["arn:aws:iam::aws:policy/ReadOnlyAccess"]
}

variable "log_days" {
  description = "For how many days the logs of the runners are kept."
  default     = 30
}

data "aws_region" "here" {}
data "aws_caller_identity" "here" {}
data "aws_partition" "here" {}

resource "aws_ecs_cluster" "runners" {
  name = var.cluster_name
}

resource "aws_cloudwatch_log_group" "runners" {
  name              = "/sluice/${var.cluster_name}"
  retention_in_days = var.log_days
}

data "aws_iam_policy_document" "tasks" {
  statement {
    actions = ["sts:AssumeRole"]
    principals {
      type        = "Service"
      identifiers = ["ecs-tasks.amazonaws.com"]
    }
    condition {
      test     = "StringEquals"
      variable = "aws:SourceAccount"
      values   = [data.aws_caller_identity.here.account_id]
    }
  }
}

# What the programs of steps are in the account.
resource "aws_iam_role" "task" {
  name               = "${var.cluster_name}-task-${data.aws_region.here.id}"
  assume_role_policy = data.aws_iam_policy_document.tasks.json
}

resource "aws_iam_role_policy_attachment" "task" {
  for_each   = toset(var.task_policy_arns)
  role       = aws_iam_role.task.name
  policy_arn = each.value
}

# What fetches the image and writes the log.
resource "aws_iam_role" "execution" {
  name               = "${var.cluster_name}-execution-${data.aws_region.here.id}"
  assume_role_policy = data.aws_iam_policy_document.tasks.json
}

resource "aws_iam_role_policy_attachment" "execution" {
  role       = aws_iam_role.execution.name
  policy_arn = "arn:${data.aws_partition.here.partition}:iam::aws:policy/service-role/AmazonECSTaskExecutionRolePolicy"
}

data "aws_iam_policy_document" "builds" {
  statement {
    actions = ["sts:AssumeRole"]
    principals {
      type        = "Service"
      identifiers = ["codebuild.amazonaws.com"]
    }
    condition {
      test     = "StringEquals"
      variable = "aws:SourceAccount"
      values   = [data.aws_caller_identity.here.account_id]
    }
  }
}

# What builds of the build service fetch the image, write the log and enter the network with.
resource "aws_iam_role" "build" {
  name               = "${var.cluster_name}-build-${data.aws_region.here.id}"
  assume_role_policy = data.aws_iam_policy_document.builds.json
}

resource "aws_iam_role_policy_attachment" "build" {
  role       = aws_iam_role.build.name
  policy_arn = "arn:${data.aws_partition.here.partition}:iam::aws:policy/service-role/AmazonECSTaskExecutionRolePolicy"
}

data "aws_iam_policy_document" "network" {
  statement {
    actions = [
      "ec2:CreateNetworkInterface",
      "ec2:DeleteNetworkInterface",
      "ec2:DescribeDhcpOptions",
      "ec2:DescribeNetworkInterfaces",
      "ec2:DescribeSecurityGroups",
      "ec2:DescribeSubnets",
      "ec2:DescribeVpcs",
    ]
    resources = ["*"]
  }
  statement {
    actions   = ["ec2:CreateNetworkInterfacePermission"]
    resources = ["arn:${data.aws_partition.here.partition}:ec2:${data.aws_region.here.id}:${data.aws_caller_identity.here.account_id}:network-interface/*"]
    condition {
      test     = "StringEquals"
      variable = "ec2:AuthorizedService"
      values   = ["codebuild.amazonaws.com"]
    }
  }
}

resource "aws_iam_role_policy" "network" {
  name   = "network"
  role   = aws_iam_role.build.name
  policy = data.aws_iam_policy_document.network.json
}

# Runners call; nobody calls them.
resource "aws_security_group" "runners" {
  name        = var.cluster_name
  description = "Tasks that carry out steps of Sluice"
  vpc_id      = var.vpc_id

  egress {
    protocol         = "-1"
    from_port        = 0
    to_port          = 0
    cidr_blocks      = ["0.0.0.0/0"]
    ipv6_cidr_blocks = ["::/0"]
  }
}

output "security_group_id" {
  description = "For the network of the execution environment."
  value       = aws_security_group.runners.id
}

output "task_role_arn" {
  description = "Give it more, or other, rights than task_policy_arns did."
  value       = aws_iam_role.task.arn
}
