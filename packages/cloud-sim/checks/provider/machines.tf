resource "aws_autoscaling_group" "workers" {
  name                = "provider-workers"
  min_size            = 0
  max_size            = 4
  desired_capacity    = var.step
  vpc_zone_identifier = ["subnet-0a1b2c3d4e5f60711"]
  launch_template {
    id      = "lt-0a1b2c3d4e5f60718"
    version = "1"
  }
  tag {
    key                 = "step"
    value               = tostring(var.step)
    propagate_at_launch = true
  }
}

resource "aws_ssm_parameter" "text" {
  name        = "/provider/text"
  type        = "String"
  value       = "step ${var.step}"
  description = "A text."
  tags        = local.tags
}

resource "aws_ssm_parameter" "secret" {
  name            = "/provider/secret"
  type            = "SecureString"
  value           = "secret ${var.step}"
  allowed_pattern = "^secret .$"
}

resource "aws_ssm_document" "release" {
  name          = "provider-release"
  document_type = "Command"
  tags          = local.tags
  content = jsonencode({
    schemaVersion = "2.2"
    description   = "Step ${var.step}."
    parameters    = { imageUri = { type = "String", allowedPattern = "^[a-z/:0-9.-]+$" } }
    mainSteps = [{
      action = "aws:runShellScript", name = "release", inputs = { runCommand = ["release {{imageUri}}"] }
    }]
  })
}
