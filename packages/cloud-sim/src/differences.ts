/** How every service differs from AWS, in sentences for the README. */
export const commonDifferences = [
  'Nothing is billed, and account quotas are not enforced.',
  'Requests are throttled only while `limitsRates` is set, and only by services that publish their request rates.',
  'Permissions come from the policy of a role alone. Resource policies, boundaries and session policies are missing.',
  'Members that a model does not know are ignored in JSON and in XML.',
  'Presigned URLs are supported for S3 only.',
  'No traffic flows: load balancers and distributions accept no connections.',
]
