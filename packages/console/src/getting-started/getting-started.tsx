import { Group } from '@mantine/core'
import { NewEnvironment } from '../environments/new-environment.tsx'
import { NewProject } from '../projects/new-project.tsx'
import { ButtonLink } from '../ui/buttons/button-link.tsx'
import { FirstReleases } from './first-releases.tsx'
import { Guide, type GuideStep } from './guide.tsx'
import { useSetupProgress } from './use-setup-progress.ts'

/** Guides a new organization to its first service, and from there through its first releases. */
export const GettingStarted = () => (
  <>
    <Setup />
    <FirstReleases />
  </>
)

/** Guides an admin of a new organization to its first service, and then disappears. */
const Setup = () => {
  const beginning = useSetupProgress()
  if (!beginning) return null
  const { hasAccount, projectId, environmentId } = beginning
  const steps: GuideStep[] = [
    {
      title: 'Connect a cloud account',
      about: 'Sluice uses a role that you create in the account. It stores no access keys.',
      isDone: hasAccount,
      action: (
        <ButtonLink size="xs" to="/console/settings/cloud-accounts">
          Connect account
        </ButtonLink>
      ),
    },
    {
      title: 'Create a project',
      about: 'A project groups what belongs together, such as a product or everything that a team owns.',
      isDone: projectId !== undefined,
      action: <NewProject />,
    },
    {
      title: 'Create environments',
      about: 'For example, Staging and Production. The same services run in each.',
      isDone: environmentId !== undefined,
      action: projectId && <NewEnvironment projectId={projectId} />,
    },
    {
      title: 'Add a service',
      about: 'Import one that runs in your account, or create an instance from a module.',
      isDone: false,
      action: environmentId && (
        <Group gap="xs">
          <ButtonLink size="xs" to="/console/environments/$id/new" params={{ id: environmentId }}>
            Choose a module
          </ButtonLink>
          <ButtonLink size="xs" variant="default" to="/console/import" search={{ environmentId }}>
            Import services
          </ButtonLink>
        </Group>
      ),
    },
  ]
  return <Guide title="Get started" steps={steps} />
}
