resource "aws_cloudwatch_log_group" "web" {
  name              = "/provider/web"
  retention_in_days = local.second ? 14 : 7
  tags              = local.tags
}

# A log stream has nothing that could be changed.
resource "aws_cloudwatch_log_stream" "deploys" {
  name           = "deploys"
  log_group_name = aws_cloudwatch_log_group.web.name
}

resource "aws_cloudwatch_metric_alarm" "errors" {
  alarm_name          = "provider-errors"
  comparison_operator = "GreaterThanThreshold"
  evaluation_periods  = 2
  threshold           = 5 * var.step
  namespace           = "Shop"
  metric_name         = "Errors"
  period              = 60
  statistic           = "Sum"
  treat_missing_data  = "notBreaching"
  dimensions          = { Service = "web" }
  alarm_actions       = ["arn:aws:sns:eu-west-1:000000000001:pager"]
  tags                = local.tags
}

resource "aws_sqs_queue" "events" {
  name                       = "provider-events"
  visibility_timeout_seconds = 30 * var.step
  tags                       = local.tags
}

resource "aws_sqs_queue" "undelivered" {
  name                      = "provider-undelivered"
  message_retention_seconds = 86400 * var.step
}

# Removing it sets the attribute to an empty text, and waits until it is gone.
resource "aws_sqs_queue_redrive_policy" "events" {
  queue_url = aws_sqs_queue.events.id
  redrive_policy = jsonencode({
    deadLetterTargetArn = aws_sqs_queue.undelivered.arn
    maxReceiveCount     = 3 * var.step
  })
}

resource "aws_cloudwatch_event_rule" "releases" {
  name          = "provider-releases"
  description   = "step ${var.step}"
  event_pattern = jsonencode({ source = ["aws.ecs"] })
  tags          = local.tags
}

resource "aws_cloudwatch_event_target" "queue" {
  rule       = aws_cloudwatch_event_rule.releases.name
  target_id  = "queue"
  arn        = aws_sqs_queue.events.arn
  input_path = local.second ? "$.detail" : null
}
