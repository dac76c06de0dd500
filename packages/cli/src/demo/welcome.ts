import type { DemoInstances } from '@sluice/server/demo/seed'
import type { DemoSecrets } from './facts.ts'

export type Welcome = {
  url: string
  cloudUrl: string
  /** Clone URL of the demo's repository, with the push password, if it has one. */
  repositoryUrl: string | undefined
  /** Speed of the simulated cloud relative to real time. */
  speed: number
  owner: { email: string }
  facts: DemoSecrets
  instances: DemoInstances
  releasePipelineId: string
}

/** Returns the message that is printed when the demo is ready. Scripts wait for its last line. */
export const welcome = ({
  url,
  cloudUrl,
  repositoryUrl,
  speed,
  owner,
  facts,
  instances,
  releasePipelineId,
}: Welcome): string => `
  Sluice with a simulated cloud (${cloudUrl}): a minute there takes ${60 / speed} s here.

  API token  ${facts.token}
  API pages  ${url}/docs
  Console    ${url} (${owner.email} / ${facts.password})

  Release version 2 of the service \`web\`, check it, and continue it at its pauses:

  export TOKEN=${facts.token}
  curl -s ${url}/deployments -H "authorization: Bearer $TOKEN" -H 'content-type: application/json' \\
    -d '{"data":{"moduleInstanceId":"${instances.web}","description":"Version 2","inputs":{"image_ref":"registry.example/shop/web:2.0.0"}}}'
  curl -s '${url}/deployments?limit=1' -H "authorization: Bearer $TOKEN"
  curl -s ${url}/deployments/DEPLOYMENT_ID/continue -H "authorization: Bearer $TOKEN" -H 'content-type: application/json' -d '{"data":{}}'

  Or let the pipeline \`release\` change infrastructure first (it needs \`terraform\` or \`tofu\`), and approve its plan:

  curl -s ${url}/pipeline-runs -H "authorization: Bearer $TOKEN" -H 'content-type: application/json' \\
    -d '{"data":{"pipelineId":"${releasePipelineId}","inputs":{"image_ref":"3.0.0"}}}'
  curl -s '${url}/pipeline-step-executions?status=PENDING_APPROVAL' -H "authorization: Bearer $TOKEN"
  curl -s -X POST ${url}/pipeline-step-executions/STEP_ID/approve -H "authorization: Bearer $TOKEN"
${repositoryUrl ? pushed(repositoryUrl, url) : ''}
  Ctrl-C stops it, npm start resumes it, npm run reset starts over.

Sluice is ready at ${url}`

const pushed = (repositoryUrl: string, url: string) => `
  Or push: the pipeline \`deliver\` builds the function \`greeting\`, plans, waits for approval, applies, and releases a canary.

  git clone ${repositoryUrl} && cd greeting
  sed -i.bak s/Hello/Welcome/ function/index.mjs && git commit -am 'Welcome people' && git push
  Watch and approve it at ${url}
`
