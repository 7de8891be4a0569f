import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Whole processes mostly wait, so they start first and quick files fill the gaps. */
const PROJECTS = ['full', 'whole', 'fast']

/** Takes minutes, so that starting it last would leave the other workers idle. */
const LONGEST = 'many-proofs.test.ts'

/**
 * Keeps the files of a project together: a worker restarts when it gets a file of another project.
 */
export class ProjectSequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const rank = ({ project, moduleId }: TestSpecification) =>
      moduleId.endsWith(LONGEST) ? -1 : PROJECTS.indexOf(project.name)
    return sorted.sort((a, b) => rank(a) - rank(b))
  }
}
