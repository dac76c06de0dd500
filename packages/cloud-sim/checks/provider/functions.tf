resource "aws_lambda_function" "thumbnails" {
  function_name = "provider-thumbnails"
  role          = local.role
  runtime       = "nodejs22.x"
  handler       = "index.handler"
  s3_bucket     = aws_s3_bucket.site.bucket
  s3_key        = aws_s3_object.archive.key
  publish       = true
  timeout       = 10 * var.step
  tags          = local.tags
}

resource "aws_lambda_alias" "live" {
  name             = "live"
  description      = "step ${var.step}"
  function_name    = aws_lambda_function.thumbnails.function_name
  function_version = aws_lambda_function.thumbnails.version
}
