# Resources that set a part of another resource.

resource "aws_s3_bucket" "settings" {
  bucket        = "provider-settings"
  force_destroy = true
  tags          = local.tags
}

resource "aws_s3_bucket_versioning" "settings" {
  bucket = aws_s3_bucket.settings.id
  versioning_configuration { status = "Enabled" }
}

resource "aws_s3_bucket_object_lock_configuration" "settings" {
  bucket = aws_s3_bucket.settings.id
  rule {
    default_retention {
      mode = "GOVERNANCE"
      days = var.step
    }
  }
  depends_on = [aws_s3_bucket_versioning.settings]
}

resource "aws_s3_bucket_replication_configuration" "settings" {
  bucket = aws_s3_bucket.settings.id
  role   = local.role
  rule {
    id     = "all"
    status = local.second ? "Disabled" : "Enabled"
    destination { bucket = aws_s3_bucket.site.arn }
  }
  depends_on = [aws_s3_bucket_versioning.settings]
}

resource "aws_s3_bucket_ownership_controls" "settings" {
  bucket = aws_s3_bucket.settings.id
  rule { object_ownership = local.second ? "ObjectWriter" : "BucketOwnerPreferred" }
}

resource "aws_s3_bucket_acl" "settings" {
  bucket     = aws_s3_bucket.settings.id
  acl        = local.second ? "log-delivery-write" : "private"
  depends_on = [aws_s3_bucket_ownership_controls.settings]
}

resource "aws_s3_bucket_logging" "settings" {
  bucket        = aws_s3_bucket.settings.id
  target_bucket = aws_s3_bucket.site.id
  target_prefix = "log-${var.step}/"
}

resource "aws_s3_bucket_accelerate_configuration" "settings" {
  bucket = aws_s3_bucket.settings.id
  status = local.second ? "Suspended" : "Enabled"
}

resource "aws_s3_bucket_request_payment_configuration" "settings" {
  bucket = aws_s3_bucket.settings.id
  payer  = local.second ? "BucketOwner" : "Requester"
}

resource "aws_s3_bucket_website_configuration" "settings" {
  bucket = aws_s3_bucket.settings.id
  index_document { suffix = local.second ? "home.html" : "index.html" }
}

resource "aws_s3_object_copy" "page" {
  bucket             = aws_s3_bucket.settings.id
  key                = "copy.html"
  source             = "${aws_s3_bucket.site.id}/${aws_s3_object.page.key}"
  metadata_directive = "REPLACE"
  cache_control      = "max-age=${60 * var.step}"
}

resource "aws_sqs_queue_policy" "events" {
  queue_url = aws_sqs_queue.events.id
  policy = jsonencode({
    Version = "2012-10-17"
    Statement = [{
      Sid    = "Step${var.step}", Effect = "Allow", Principal = { Service = "events.amazonaws.com" }
      Action = "sqs:SendMessage", Resource = aws_sqs_queue.events.arn
    }]
  })
}

resource "aws_sqs_queue_redrive_allow_policy" "undelivered" {
  queue_url            = aws_sqs_queue.undelivered.id
  redrive_allow_policy = jsonencode({ redrivePermission = local.second ? "denyAll" : "allowAll" })
}

resource "aws_lambda_provisioned_concurrency_config" "live" {
  function_name                     = aws_lambda_alias.live.function_name
  qualifier                         = aws_lambda_alias.live.name
  provisioned_concurrent_executions = var.step
}

# Another target replaces it.
resource "aws_lb_target_group_attachment" "outside" {
  target_group_arn = aws_lb_target_group.outside.arn
  target_id        = "10.0.0.${var.step}"
  port             = 8080
}

resource "aws_lb_target_group" "outside" {
  name        = "provider-outside"
  port        = 8080
  protocol    = "HTTP"
  target_type = "ip"
  vpc_id      = "vpc-0a1b2c3d4e5f60718"
  tags        = local.tags
}

resource "aws_autoscaling_group_tag" "workers" {
  autoscaling_group_name = aws_autoscaling_group.workers.name
  tag {
    key                 = "owner"
    value               = "team-${var.step}"
    propagate_at_launch = false
  }
}

resource "aws_ecs_tag" "cluster" {
  resource_arn = aws_ecs_cluster.main.arn
  key          = "owner"
  value        = "team-${var.step}"
}

# The provider sends an ACL with it, which the bucket rejects until its ownership controls allow ACLs.
resource "aws_s3_bucket_object" "page" {
  bucket     = aws_s3_bucket.settings.id
  key        = "page.html"
  content    = "<p>${var.step}</p>"
  depends_on = [aws_s3_bucket_ownership_controls.settings]
}
