# Sluice in a VPC of your own. First: `deploy/aws/prepare sluice --region eu-central-1`, and
#   curl -O https://truststore.pki.rds.amazonaws.com/eu-central-1/eu-central-1-bundle.pem
terraform {
  required_version = ">= 1.9"

  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = "~> 5.100"
    }
  }
}

provider "aws" {
  region = "eu-central-1"

  default_tags {
    tags = { application = "sluice" }
  }
}

variable "runner_secret_arn" {
  type        = string
  description = "ARN of a secret with the token of a pool of runners, which you make in the console. Null until then."
  default     = null
}

module "sluice" {
  source = "../.."

  public_url               = "https://sluice.example.com"
  certificate_arn          = "arn:aws:acm:eu-central-1:111122223333:certificate/0d1e2f30-4a5b-4c6d-8e7f-90a1b2c3d4e5"
  vpc_id                   = "vpc-0a1b2c3d4e5f60718"
  private_subnet_ids       = ["subnet-0a1b2c3d4e5f60711", "subnet-0a1b2c3d4e5f60712", "subnet-0a1b2c3d4e5f60713"]
  load_balancer_subnet_ids = ["subnet-0a1b2c3d4e5f60721", "subnet-0a1b2c3d4e5f60722", "subnet-0a1b2c3d4e5f60723"]

  image                 = "111122223333.dkr.ecr.eu-central-1.amazonaws.com/sluice:0.3.0"
  image_repository_arns = ["arn:aws:ecr:eu-central-1:111122223333:repository/sluice"]
  secret_arn            = "arn:aws:secretsmanager:eu-central-1:111122223333:secret:sluice-AbCdEf"
  database_ca           = file("${path.root}/eu-central-1-bundle.pem")
  assumable_role_arns   = ["arn:aws:iam::*:role/sluice-*"]

  settings = {
    SLUICE_GITHUB_APP_ID    = "123456"
    SLUICE_GITHUB_CLIENT_ID = "Iv1.0123456789abcdef"
  }
  secret_settings = {
    SLUICE_GITHUB_PRIVATE_KEY    = "arn:aws:secretsmanager:eu-central-1:111122223333:secret:sluice-github-GhIjKl:PRIVATE_KEY::"
    SLUICE_GITHUB_WEBHOOK_SECRET = "arn:aws:secretsmanager:eu-central-1:111122223333:secret:sluice-github-GhIjKl:WEBHOOK_SECRET::"
  }

  runner = var.runner_secret_arn == null ? null : {
    image      = "111122223333.dkr.ecr.eu-central-1.amazonaws.com/sluice-runner:0.3.0"
    secret_arn = var.runner_secret_arn
  }
}

output "load_balancer" {
  description = "Target of the DNS record of sluice.example.com."
  value       = module.sluice.load_balancer
}

output "service_role_arn" {
  description = "Principal in the trust policies of cloud accounts."
  value       = module.sluice.service_role_arn
}
