terraform {
  required_providers {
    aws = { source = "hashicorp/aws" }
  }
}

variable "endpoint" { type = string }
# 1 makes everything, 2 changes something of each resource.
variable "step" { type = number }

locals {
  tags   = { team = "shop", step = tostring(var.step) }
  second = var.step == 2
  role   = "arn:aws:iam::000000000001:role/shop"
}

provider "aws" {
  region                      = "eu-west-1"
  access_key                  = "AKIAPROVIDER"
  secret_key                  = "secret"
  s3_use_path_style           = true
  skip_credentials_validation = true
  skip_metadata_api_check     = true
  skip_region_validation      = true
  # Tags that are resources of their own.
  ignore_tags { keys = ["owner"] }
  endpoints {
    acm            = var.endpoint
    autoscaling    = var.endpoint
    cloudfront     = var.endpoint
    cloudwatch     = var.endpoint
    cloudwatchlogs = var.endpoint
    ecs            = var.endpoint
    elbv2          = var.endpoint
    events         = var.endpoint
    lambda         = var.endpoint
    route53        = var.endpoint
    s3             = var.endpoint
    sqs            = var.endpoint
    ssm            = var.endpoint
    sts            = var.endpoint
  }
}
