resource "aws_route53_zone" "shop" {
  name = "shop.example"
  tags = local.tags
}

resource "aws_route53_record" "www" {
  zone_id = aws_route53_zone.shop.zone_id
  name    = "www"
  type    = "CNAME"
  ttl     = 60 * var.step
  records = [aws_lb.main.dns_name]
}

resource "aws_acm_certificate" "shop" {
  domain_name       = "shop.example"
  validation_method = "DNS"
  tags              = local.tags
}

resource "aws_route53_record" "proof" {
  zone_id = aws_route53_zone.shop.zone_id
  name    = one(aws_acm_certificate.shop.domain_validation_options).resource_record_name
  type    = one(aws_acm_certificate.shop.domain_validation_options).resource_record_type
  ttl     = 60 * var.step
  records = [one(aws_acm_certificate.shop.domain_validation_options).resource_record_value]
}

# Waits until the certificate is issued, and has nothing that could be changed.
resource "aws_acm_certificate_validation" "shop" {
  certificate_arn         = aws_acm_certificate.shop.arn
  validation_record_fqdns = [aws_route53_record.proof.fqdn]
}
