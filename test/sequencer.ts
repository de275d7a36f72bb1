/**
 * The order of the test files. Those that wait, for limits, for what was killed, for processes, begin while there is
 * other work beside them: at the end, nothing would be left to do meanwhile. By their size, which is what a fresh clone
 * knows of them, some would be among the last.
 */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const WAITING = /\/test\/(?:ci|contract|docs|e2e|release|server)\//;

export class WaitingFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const waits = ({ moduleId }: TestSpecification): boolean => WAITING.test(moduleId);
    return [...sorted.filter(waits), ...sorted.filter((file) => !waits(file))];
  }
}
