# Two buckets: the service reads the archive only, the engine its snapshots only.
locals {
  buckets = toset(["archive", "snapshots"])
}

resource "aws_s3_bucket" "main" {
  for_each      = local.buckets
  bucket        = "${var.name}-${each.key}-${local.account}-${local.region}"
  force_destroy = !var.deletion_protection
}

resource "aws_s3_bucket_public_access_block" "main" {
  for_each                = local.buckets
  bucket                  = aws_s3_bucket.main[each.key].id
  block_public_acls       = true
  block_public_policy     = true
  ignore_public_acls      = true
  restrict_public_buckets = true
}

resource "aws_s3_bucket_ownership_controls" "main" {
  for_each = local.buckets
  bucket   = aws_s3_bucket.main[each.key].id

  rule {
    object_ownership = "BucketOwnerEnforced"
  }
}

resource "aws_s3_bucket_versioning" "main" {
  for_each = local.buckets
  bucket   = aws_s3_bucket.main[each.key].id

  versioning_configuration {
    status = "Enabled"
  }
}

resource "aws_s3_bucket_server_side_encryption_configuration" "main" {
  for_each = local.buckets
  bucket   = aws_s3_bucket.main[each.key].id

  rule {
    apply_server_side_encryption_by_default {
      sse_algorithm = "AES256"
    }
  }
}

# What Sluice and the engine remove is gone after 30 days. They decide themselves what to remove.
resource "aws_s3_bucket_lifecycle_configuration" "main" {
  for_each = local.buckets
  bucket   = aws_s3_bucket.main[each.key].id

  rule {
    id     = "removed"
    status = "Enabled"

    filter {}

    noncurrent_version_expiration {
      noncurrent_days = 30
    }

    abort_incomplete_multipart_upload {
      days_after_initiation = 7
    }
  }

  depends_on = [aws_s3_bucket_versioning.main]
}

resource "aws_s3_bucket_policy" "main" {
  for_each = local.buckets
  bucket   = aws_s3_bucket.main[each.key].id

  policy = jsonencode({
    Version = "2012-10-17"
    Statement = [{
      Sid       = "OnlyByTls"
      Effect    = "Deny"
      Principal = "*"
      Action    = "s3:*"
      Resource  = [aws_s3_bucket.main[each.key].arn, "${aws_s3_bucket.main[each.key].arn}/*"]
      Condition = { Bool = { "aws:SecureTransport" = "false" } }
    }]
  })

  depends_on = [aws_s3_bucket_public_access_block.main]
}

# A Fargate task cannot keep a disk of its own, and a node of the engine is refused if it comes back without its data.
resource "aws_efs_file_system" "engine" {
  creation_token  = var.name
  encrypted       = true
  throughput_mode = "elastic"

  tags = { Name = "${var.name}-engine" }
}

resource "aws_efs_mount_target" "engine" {
  for_each        = toset(var.private_subnet_ids)
  file_system_id  = aws_efs_file_system.engine.id
  subnet_id       = each.value
  security_groups = [aws_security_group.main["files"].id]
}

resource "aws_efs_access_point" "engine" {
  for_each       = local.engine_nodes
  file_system_id = aws_efs_file_system.engine.id

  posix_user {
    uid = 10001
    gid = 10001
  }

  root_directory {
    path = "/${each.key}"

    creation_info {
      owner_uid   = 10001
      owner_gid   = 10001
      permissions = "0700"
    }
  }

  tags = { Name = "${var.name}-${each.key}" }
}

resource "aws_efs_file_system_policy" "engine" {
  file_system_id = aws_efs_file_system.engine.id

  policy = jsonencode({
    Version = "2012-10-17"
    Statement = [{
      Sid       = "NodesByTheirAccessPoints"
      Effect    = "Allow"
      Principal = { AWS = aws_iam_role.task["engine"].arn }
      Action    = ["elasticfilesystem:ClientMount", "elasticfilesystem:ClientWrite"]
      Resource  = aws_efs_file_system.engine.arn
      Condition = {
        Bool         = { "aws:SecureTransport" = "true" }
        StringEquals = { "elasticfilesystem:AccessPointArn" = local.access_point_arns }
      }
    }]
  })
}
