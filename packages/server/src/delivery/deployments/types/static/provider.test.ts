import { expect, test } from 'vitest'
import type { Site } from '../../../../../demo/site.ts'
import { missingProviderReason, startProviderWorld, testWithinMs } from '../../../../testing/provider-world.ts'
import { createTestSite } from '../../../../testing/static-site.ts'

const main = `
terraform {
  required_providers { aws = { source = "hashicorp/aws" } }
}
provider "aws" {}
resource "aws_s3_bucket" "site" {
  bucket = "iac-site"
  tags   = { Team = "web" }
}
resource "aws_s3_bucket_public_access_block" "site" {
  bucket            = aws_s3_bucket.site.id
  block_public_acls = true
}
resource "aws_s3_object" "page" {
  bucket       = aws_s3_bucket.site.id
  key          = "r/1/index.html"
  content      = "<p>1</p>"
  content_type = "text/html"
}
resource "aws_cloudfront_key_value_store" "site" { name = "iac-site" }
resource "aws_cloudfront_distribution" "site" {
  enabled = true
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
  tags = { Team = "web" }
}
output "bucket" { value = aws_s3_bucket.site.bucket }
output "distribution_id" { value = aws_cloudfront_distribution.site.id }
output "distribution_arn" { value = aws_cloudfront_distribution.site.arn }
output "keyvaluestore_arn" { value = aws_cloudfront_key_value_store.site.arn }
output "address" { value = aws_cloudfront_distribution.site.domain_name }
`

test("the cloud's own provider creates a site, finds it unchanged after a release, and deletes it", {
  timeout: testWithinMs,
}, async ({ skip }) => {
  skip(missingProviderReason !== undefined, missingProviderReason)
  await using place = await startProviderWorld({ givenId: 'site', main })
  const { world, organization } = place
  const { outputs } = await place.apply<Site>()

  const site = await createTestSite(world, organization, { site: outputs, releases: [], paths: ['/*'] })
  await site.release('r/1')
  expect(await site.active()).toBe('r/1')

  expect((await place.drift())?.outputData).toMatchObject({ has_drifted: false })
  await place.destroy()
  expect(await organization.calls('DeleteDistribution', { accepted: true })).toHaveLength(1)
  expect(await organization.calls('DeleteBucket', { accepted: true })).toHaveLength(1)
})
