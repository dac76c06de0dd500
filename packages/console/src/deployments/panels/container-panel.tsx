import type { EcsDeploymentData } from '@sluice/contract'
import { Section } from '../../ui/section.tsx'
import { Revisions } from '../revisions.tsx'

/** Shows a container service: both revisions with their tasks and traffic. */
export const ContainerPanel = ({ data }: { data: EcsDeploymentData }) => (
  <Section title="Versions and traffic">
    <Revisions data={data} />
  </Section>
)
