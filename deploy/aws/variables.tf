variable "name" {
  type        = string
  description = "Prefix of the names of all resources."
  default     = "sluice"

  validation {
    condition     = can(regex("^[a-z][a-z0-9-]{0,14}[a-z0-9]$", var.name))
    error_message = "Use 2 to 16 lowercase letters, digits and hyphens, beginning with a letter: load balancers have short names."
  }
}

variable "public_url" {
  type        = string
  description = "Address that users, CI and webhooks call, such as https://sluice.example.com. Point its DNS record at the output load_balancer."

  validation {
    condition     = can(regex("^https://[^/]+$", var.public_url))
    error_message = "Use an https:// address without a path, such as https://sluice.example.com."
  }
}

variable "certificate_arn" {
  type        = string
  description = "ARN of an ACM certificate for the host of public_url, in this region."

  validation {
    condition     = can(regex("^arn:[^:]+:acm:[^:]+:[0-9]{12}:certificate/", var.certificate_arn))
    error_message = "Use the ARN of a certificate of AWS Certificate Manager, such as arn:aws:acm:eu-central-1:111122223333:certificate/…."
  }
}

variable "vpc_id" {
  type        = string
  description = "VPC to install into."
}

variable "private_subnet_ids" {
  type        = list(string)
  description = "Private subnets for tasks, the database and the engine's file system, with a route to the internet. Use three in three Availability Zones."

  validation {
    condition     = length(var.private_subnet_ids) >= 2
    error_message = "Use at least two subnets in different Availability Zones: RDS needs two. With three, the engine survives the loss of any zone."
  }
}

variable "load_balancer_subnet_ids" {
  type        = list(string)
  description = "Subnets of the load balancer: public ones, or private ones with is_internal."

  validation {
    condition     = length(var.load_balancer_subnet_ids) >= 2
    error_message = "Use at least two subnets in different Availability Zones: an Application Load Balancer needs two."
  }
}

variable "is_internal" {
  type        = bool
  description = "Whether the load balancer is reached from private networks only."
  default     = false
}

variable "allowed_cidrs" {
  type        = list(string)
  description = "IPv4 networks that may call the load balancer."
  default     = ["0.0.0.0/0"]

  validation {
    condition     = length(var.allowed_cidrs) > 0 && alltrue([for cidr in var.allowed_cidrs : can(cidrnetmask(cidr))])
    error_message = "Use at least one IPv4 network, such as 203.0.113.0/24."
  }
}

variable "image" {
  type        = string
  description = "Image of the service (deploy/server/Dockerfile), pinned by a tag of a release or a digest."

  validation {
    condition     = can(regex("(@sha256:[0-9a-f]{64}|:[^:/]+)$", var.image)) && !endswith(var.image, ":latest")
    error_message = "Name a version: a tag other than latest, or a digest. Tasks that start later must run the same image."
  }
}

variable "engine_image" {
  type        = string
  description = "Image of the engine, Restate."
  default     = "docker.restate.dev/restatedev/restate:1.7.12"
}

variable "engine_files_image" {
  type        = string
  description = "Image of the service that writes the files of the engine's tasks. Keep it at the version of the first installation, so that an upgrade of `image` does not replace the engine's nodes. Defaults to `image`."
  default     = null
}

variable "postgres_image" {
  type        = string
  description = "Image with psql, which creates the role of the service in the database."
  default     = "public.ecr.aws/docker/library/postgres:17"
}

variable "image_repository_arns" {
  type        = list(string)
  description = "ARNs of the ECR repositories of these images, which tasks may pull from. Empty if none is in ECR."
  default     = []
}

variable "secret_arn" {
  type        = string
  description = "ARN of the secret that deploy/aws/prepare made."

  validation {
    condition     = can(regex("^arn:[^:]+:secretsmanager:[^:]+:[0-9]{12}:secret:[^:]+$", var.secret_arn))
    error_message = "Use the ARN that deploy/aws/prepare printed, such as arn:aws:secretsmanager:eu-central-1:111122223333:secret:sluice-AbCdEf."
  }
}

variable "secret_settings" {
  type        = map(string)
  description = "Further settings that are secret, by their environment variable: ARN of a secret, or ARN:KEY:: for a key of a JSON secret."
  default     = {}
}

variable "settings" {
  type        = map(string)
  description = "Further settings, by their environment variable: docs/reference/configuration.md."
  default     = {}

  validation {
    condition     = alltrue([for name in keys(var.settings) : !startswith(name, "DATABASE_") && !startswith(name, "ENGINE_") && !startswith(name, "WORKER_") && !startswith(name, "SLUICE_ARCHIVE_")])
    error_message = "The module sets DATABASE_…, ENGINE_…, WORKER_… and SLUICE_ARCHIVE_…. Remove them from settings."
  }
}

variable "database_ca" {
  type        = string
  description = "Certificates of the authorities of RDS in this region, PEM: https://truststore.pki.rds.amazonaws.com/REGION/REGION-bundle.pem."

  validation {
    condition     = can(regex("-----BEGIN CERTIFICATE-----", var.database_ca))
    error_message = "Use the content of the bundle, such as file(\"eu-central-1-bundle.pem\")."
  }
}

variable "database" {
  type = object({
    version           = optional(string, "17")
    instance_class    = optional(string, "db.t4g.medium")
    storage_gib       = optional(number, 50)
    max_storage_gib   = optional(number, 500)
    is_multi_az       = optional(bool, true)
    backup_days       = optional(number, 14)
    connections_count = optional(number, 20)
  })
  description = "RDS PostgreSQL: major version, size, standby, days of backups, and connections of each process (SLUICE_DATABASE_CONNECTIONS)."
  default     = {}
  nullable    = false

  validation {
    condition     = var.database.backup_days >= 1 && var.database.backup_days <= 35
    error_message = "Keep backups for 1 to 35 days."
  }
}

variable "api" {
  type        = object({ count = optional(number, 2), cpu = optional(number, 512), memory = optional(number, 1024) })
  description = "Tasks with the role api: count, CPU units and MiB of each."
  default     = {}
  nullable    = false
}

variable "worker" {
  type        = object({ count = optional(number, 2), cpu = optional(number, 512), memory = optional(number, 1024) })
  description = "Tasks with the role worker: count, CPU units and MiB of each."
  default     = {}
  nullable    = false
}

variable "engine" {
  type        = object({ cpu = optional(number, 1024), memory = optional(number, 4096) })
  description = "Each of the three nodes of the engine: CPU units and MiB."
  default     = {}
  nullable    = false
}

variable "runner" {
  type = object({
    image      = string
    secret_arn = string
    count      = optional(number, 2)
    cpu        = optional(number, 1024)
    memory     = optional(number, 4096)
    disk_gib   = optional(number, 40)
  })
  description = "Runners of a pool: image (deploy/runner/Dockerfile), and ARN of a secret that is the pool's token. Null for none."
  default     = null
}

variable "assumable_role_arns" {
  type        = list(string)
  description = "ARNs of the roles in cloud accounts that Sluice assumes; * stands for any text: arn:aws:iam::*:role/sluice-*."

  validation {
    condition     = length(var.assumable_role_arns) > 0 && alltrue([for arn in var.assumable_role_arns : can(regex("^arn:[^:]+:iam::[0-9*]+:role/.", arn))])
    error_message = "Use at least one ARN of a role, such as arn:aws:iam::111122223333:role/sluice-connect."
  }
}

variable "log_retention_days" {
  type        = number
  description = "Days after which CloudWatch removes logs of tasks and of the database."
  default     = 90
}

variable "deletion_protection" {
  type        = bool
  description = "Whether the database, the load balancer and the buckets resist terraform destroy. Without it, no final snapshot is taken."
  default     = true
}
