resource "aws_s3_bucket" "site" {
  bucket = "provider-site"
  tags   = local.tags
}

resource "aws_s3_bucket_public_access_block" "site" {
  bucket              = aws_s3_bucket.site.id
  block_public_acls   = true
  block_public_policy = local.second
}

resource "aws_s3_bucket_ownership_controls" "site" {
  bucket = aws_s3_bucket.site.id
  rule { object_ownership = local.second ? "BucketOwnerEnforced" : "BucketOwnerPreferred" }
}

resource "aws_s3_bucket_versioning" "site" {
  bucket = aws_s3_bucket.site.id
  versioning_configuration { status = local.second ? "Suspended" : "Enabled" }
}

resource "aws_s3_bucket_server_side_encryption_configuration" "site" {
  bucket = aws_s3_bucket.site.id
  rule {
    bucket_key_enabled = local.second
    apply_server_side_encryption_by_default { sse_algorithm = "AES256" }
  }
}

resource "aws_s3_bucket_cors_configuration" "site" {
  bucket = aws_s3_bucket.site.id
  cors_rule {
    allowed_methods = ["GET"]
    allowed_origins = local.second ? ["https://shop.example"] : ["*"]
  }
}

resource "aws_s3_bucket_policy" "site" {
  bucket = aws_s3_bucket.site.id
  policy = jsonencode({
    Version = "2012-10-17"
    Statement = [{
      Sid    = "Step${var.step}", Effect = "Allow", Principal = { Service = "cloudfront.amazonaws.com" }
      Action = "s3:GetObject", Resource = "${aws_s3_bucket.site.arn}/*"
    }]
  })
}

resource "aws_s3_bucket_lifecycle_configuration" "site" {
  bucket = aws_s3_bucket.site.id
  rule {
    id     = "old"
    status = "Enabled"
    filter { prefix = "releases/" }
    expiration { days = 30 * var.step }
    noncurrent_version_expiration { noncurrent_days = 7 }
  }
}

resource "aws_s3_object" "page" {
  bucket       = aws_s3_bucket.site.id
  key          = "releases/1/index.html"
  content      = "<p>${var.step}</p>"
  content_type = "text/html"
}

# Its content stays what it is while its tags change.
resource "aws_s3_object" "tagged" {
  bucket  = aws_s3_bucket.site.id
  key     = "releases/1/logo.svg"
  content = "<svg/>"
  tags    = local.tags
}

resource "aws_s3_object" "archive" {
  bucket  = aws_s3_bucket.site.id
  key     = "v1.zip"
  content = "PK${var.step}"
}

resource "aws_cloudfront_key_value_store" "site" {
  name    = "provider-site"
  comment = "step ${var.step}"
}

resource "aws_cloudfront_distribution" "site" {
  # What is disabled is removed without waiting for it.
  enabled = !local.second
  comment = "step ${var.step}"
  origin {
    domain_name = aws_s3_bucket.site.bucket_regional_domain_name
    origin_id   = "files"
  }
  default_cache_behavior {
    allowed_methods        = ["GET", "HEAD"]
    cached_methods         = ["GET", "HEAD"]
    target_origin_id       = "files"
    viewer_protocol_policy = "redirect-to-https"
    forwarded_values {
      query_string = false
      cookies { forward = "none" }
    }
  }
  restrictions {
    geo_restriction { restriction_type = "none" }
  }
  viewer_certificate { cloudfront_default_certificate = true }
  wait_for_deployment = false
  tags                = local.tags
}
