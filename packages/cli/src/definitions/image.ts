import { referenceIn, repositoryOf } from '@sluice/server/delivery/module-imports/image'

/**
 * Splits an image into repository and tag or digest. Variables contain a colon that starts no tag. An image that is
 * entirely a variable has no known repository.
 */
export function imageParts(image: string): { repository: string | undefined; reference: string } {
  const covered = image.replaceAll(/\$\{env:(\w+)\}/g, '\u{e000}$1\u{e001}')
  const repository = repositoryOf(covered)
  return {
    repository: /^\u{e000}\w+\u{e001}$/u.test(covered) ? undefined : uncovered(repository),
    reference: uncovered(referenceIn(covered)),
  }
}

const uncovered = (text: string): string => text.replaceAll(/\u{e000}(\w+)\u{e001}/gu, '$${env:$1}')
