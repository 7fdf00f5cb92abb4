"""The porting checklist: does a robot file mean the same in an engine?"""
